import json, random, sys

for line in sys.stdin:
    message = json.loads(line)
    if "space" in message:
        parameters = message["space"]["parameters"]
        random.seed(message["space"]["seed"])
    elif "ask" in message:
        asked = [{one["name"]: random.choice(one["values"]) for one in parameters}
                 for _ in range(message["ask"])]
        print(json.dumps(asked), flush=True)
    elif "done" in message:
        break
