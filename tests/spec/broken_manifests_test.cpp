// Broken manifests, each with exactly what is reported.
#include "spec/broken_spec.h"

namespace tailwave {
namespace {

INSTANTIATE_TEST_SUITE_P(
    Manifest, BrokenSpec,
    testing::Values(
        Break{"NameDiffersFromFolder", kManifest, "\"name\": \"stencil\"", "\"name\": \"Stencil\"",
              "/name: the name 'Stencil' differs from the folder's, 'stencil'"},
        Break{"UnknownKey", kManifest, "\"description\"", "\"descripton\"",
              "/variants/cpu/descripton: unknown key 'descripton'\n"
              "  did you mean 'description'?"},
        Break{"MainKernelIsNotLaunched", kManifest, "\"prepare\": [", "\"main\": [\"stp\"], \"prepare\": [",
              "/variants/tiled/main/0: unknown kernel 'stp'\n"
              "  did you mean 'step'?"},
        Break{"MainKernelIsOnlyPrepared", kManifest, "\"prepare\": [",
              "\"main\": [\"setup::fill<4>\"], \"prepare\": [",
              "/variants/tiled/main/0: unknown kernel 'setup::fill<4>'\n"
              "  there is 'step'"},
        Break{"MainKernelOfAHostVariant", kManifest, "\"description\": \"serial\"", "\"main\": [\"step\"]",
              "/variants/cpu/main: a host variant has no kernels"},
        Break{"ProblemNameIsAKeyword", kManifest, "{\"N\": {\"type\": \"int\", \"default\": 64}",
              "{\"new\": {\"type\": \"int\", \"default\": 64}, \"N\": {\"type\": \"int\", \"default\": 64}",

              "/problem/new: the name 'new' is a C++ keyword"},
        Break{"ParameterIsReserved", kManifest, "\"MODE\"", "\"TAILWAVE_MODE\"",
              "/variants/tiled/parameters/TAILWAVE_MODE: the name 'TAILWAVE_MODE' begins with TAILWAVE_, "
              "which is reserved"},
        Break{"ParameterIsTheCompilers", kManifest, "\"MODE\"", "\"__MODE\"",
              "/variants/tiled/parameters/__MODE: the name '__MODE' is reserved for the compiler ('__', or "
              "'_' and a capital)"},
        Break{"ParameterIsAFunction", kManifest, "\"MODE\"", "\"ceil\"",
              "/variants/tiled/parameters/ceil: the name 'ceil' is a word of the expression language"},
        Break{"ParameterIsNoIdentifier", kManifest, "\"MODE\"", "\"2D\"",
              "/variants/tiled/parameters/2D: the name '2D' is no identifier (letters, digits and '_', no "
              "digit first)"},
        Break{"ParameterIsAProblemQuantity", kManifest, "\"MODE\": \"plain\"", "\"DT\": 1.5",
              "/variants/tiled/parameters/DT: 'DT' is a parameter and a problem quantity, too"},
        Break{"ParameterHasALineBreak", kManifest, "\"plain\"", "\"plain\\n#define X\"",
              "/variants/tiled/parameters/MODE: the text has a line break or another control character"},
        Break{"BufferIsAParameter", kManifest, "\"sums\": {",
              "\"FAST\": {\"type\": \"int\", \"count\": 1}, \"sums\": {",
              "/buffers/FAST: 'FAST' is a buffer and a parameter or problem quantity, too"},
        Break{"UnknownType", kManifest, "\"type\": \"double\"", "\"type\": \"doubel\"",
              "/buffers/sums/type: unknown type 'doubel'\n"
              "  did you mean 'double'?"},
        Break{
            "ListForAScalar", kManifest, "\"args\": [\"sums\"]",
            "\"args\": [\"sums\", {\"value\": [1, 2], \"type\": \"float\"}]",
            "/variants/tiled/prepare/0/args/1/value: a list for the type 'float32', which has one component"},
        Break{"ScalarForAVector", kManifest, "\"args\": [\"sums\"]",
              "\"args\": [\"sums\", {\"value\": 1, \"type\": \"float4\"}]",
              "/variants/tiled/prepare/0/args/1/value: expected a list of 4 values for the type 'float32x4'"},
        Break{"ShortListForAVector", kManifest, "\"args\": [\"sums\"]",
              "\"args\": [\"sums\", {\"value\": [1, 2, 3], \"type\": \"float4\"}]",
              "/variants/tiled/prepare/0/args/1/value: expected a list of 4 values for the type 'float32x4', "
              "found 3"},
        Break{"VectorWithoutAValue", kManifest, "\"args\": [\"sums\"]",
              "\"args\": [\"sums\", {\"type\": \"float4\"}]",
              "/variants/tiled/prepare/0/args/1: missing key 'value'"},
        Break{"TextureOfAnUnknownBuffer", kManifest, "\"args\": [\"sums\"]",
              "\"args\": [{\"texture\": \"cell\", \"width\": 8}]",
              "/variants/tiled/prepare/0/args/0/texture: unknown buffer 'cell'\n"
              "  did you mean 'cells'?"},
        Break{"TextureWithoutAWidth", kManifest, "\"args\": [\"sums\"]",
              "\"args\": [{\"texture\": \"cells\"}]",
              "/variants/tiled/prepare/0/args/0: missing key 'width'"},
        Break{"TextureOfNoHeight", kManifest, "\"args\": [\"sums\"]",
              "\"args\": [{\"texture\": \"cells\", \"width\": 8, \"depth\": 2}]",
              "/variants/tiled/prepare/0/args/0: missing key 'height'"},
        Break{
            "TextureBeyondTheBuffer", kManifest, "\"args\": [\"sums\"]",
            "\"args\": [{\"texture\": \"cells\", \"width\": \"N\", \"height\": 3}]",
            "/variants/tiled/prepare/0/args/0: the texture reaches over 192 scalars, and the buffer has 128, with the "
            "defaults"},
        Break{"TextureOfDoubles", kManifest, "\"args\": [\"sums\"]",
              "\"args\": [{\"texture\": \"sums\", \"width\": 1}]",
              "/variants/tiled/prepare/0/args/0: a texture has no elements of float64, with the defaults"},
        Break{"TextureWithAType", kManifest, "\"args\": [\"sums\"]",
              "\"args\": [{\"texture\": \"cells\", \"width\": 8, \"type\": \"float\"}]",
              "/variants/tiled/prepare/0/args/0/type: 'type' has no meaning beside 'texture'"},
        Break{"TextureAndTensorMap", kManifest, "\"args\": [\"sums\"]",
              "\"args\": [{\"texture\": \"cells\", \"width\": 8, \"tensor_map\": \"cells\"}]",
              "/variants/tiled/prepare/0/args/0/tensor_map: 'tensor_map' has no meaning beside 'texture'"},
        Break{"FilterOfAValue", kManifest, "\"args\": [\"sums\"]",
              "\"args\": [{\"value\": 8, \"type\": \"int\", \"filter\": \"point\"}]",
              "/variants/tiled/prepare/0/args/0/filter: 'filter' has no meaning without 'texture'"},
        Break{"BoxOfATexture", kManifest, "\"args\": [\"sums\"]",
              "\"args\": [{\"texture\": \"cells\", \"width\": 8, \"box\": [8]}]",
              "/variants/tiled/prepare/0/args/0/box: 'box' has no meaning without 'tensor_map'"},
        Break{"TextureInAStruct", kManifest, "\"args\": [\"sums\"]",
              "\"args\": [{\"struct\": [{\"texture\": \"cells\", \"width\": 8}]}]",
              "/variants/tiled/prepare/0/args/0/struct/0: a struct has no texture and no tensor map in it\n"
              "  it is an argument of its own"},
        Break{"TensorMapWithoutABox", kManifest, "\"args\": [\"sums\"]",
              "\"args\": [{\"tensor_map\": \"cells\", \"dims\": [\"N\"]}]",
              "/variants/tiled/prepare/0/args/0: missing key 'box'"},
        Break{"TensorMapOfLargeBoxes", kManifest, "\"args\": [\"sums\"]",
              "\"args\": [{\"tensor_map\": \"cells\", \"dims\": [\"N\", 2], \"box\": [\"8 * N\", 1]}]",
              "/variants/tiled/prepare/0/args/0: box[0] is 512, expected 1 to 256, with the defaults"},
        Break{"TensorMapWithoutAValue", kManifest, "\"args\": [\"sums\"]",
              "\"args\": [{\"tensor_map\": \"cells\", \"dims\": [\"N\"], \"box\": [\"N / 3\"]}]",
              "/variants/tiled/prepare/0/args/0: expected a whole number, found 21.333333333333332\n"
              "  N / 3\n"
              "  ^"},
        Break{"TooLargeForHalf", kManifest, "\"args\": [\"sums\"]",
              "\"args\": [\"sums\", {\"value\": \"1024 * N\", \"type\": \"half\"}]",
              "/variants/tiled/prepare/0/args/1/value: expected a number that fits float16, found 65536"},
        Break{"UnknownBufferInAStruct", kManifest, "\"args\": [\"sums\"]",
              "\"args\": [{\"struct\": [\"sums\", {\"struct\": [\"cell\"]}]}]",
              "/variants/tiled/prepare/0/args/0/struct/1/struct/0: unknown argument 'cell'\n"
              "  did you mean 'cells'?"},
        Break{"BytesWithoutDigits", kManifest, "\"args\": [\"sums\"]", "\"args\": [{\"bytes\": \"0g\"}]",
              "/variants/tiled/prepare/0/args/0/bytes: expected two hexadecimal digits for each byte\n"
              "  \"0000803f\" is the float 1"},
        Break{"BytesWithHalfAByte", kManifest, "\"args\": [\"sums\"]", "\"args\": [{\"bytes\": \"000\"}]",
              "/variants/tiled/prepare/0/args/0/bytes: expected two hexadecimal digits for each byte\n"
              "  \"0000803f\" is the float 1"},
        Break{"PointerBeforeABuffer", kManifest, "\"args\": [\"sums\"]",
              "\"args\": [{\"buffer\": \"sums\", \"offset\": -1}]",
              "/variants/tiled/prepare/0/args/0/offset: the value is -1, expected at least 0\n"
              "  -1"},
        Break{"PointerIntoNoBuffer", kManifest, "\"args\": [\"sums\"]",
              "\"args\": [{\"buffer\": \"sum\", \"offset\": 1}]",
              "/variants/tiled/prepare/0/args/0/buffer: unknown buffer 'sum'\n"
              "  did you mean 'sums'?"},
        Break{"PointerWithoutAnOffset", kManifest, "\"args\": [\"sums\"]",
              "\"args\": [{\"buffer\": \"sums\"}]", "/variants/tiled/prepare/0/args/0: missing key 'offset'"},
        Break{"StructWithAValue", kManifest, "\"args\": [\"sums\"]",
              "\"args\": [{\"struct\": [\"sums\"], \"value\": 1}]",
              "/variants/tiled/prepare/0/args/0/value: 'value' has no meaning beside 'struct'"},
        Break{"UnknownParameterInCount", kManifest, "\"2 * N\"", "\"2 * M\"",
              "/buffers/cells/count: unknown parameter 'M'\n"
              "  2 * M\n"
              "      ^ did you mean 'N'?"},
        Break{"CountOfAnotherVariantsParameter", kManifest, "\"2 * N\"", "\"2 * N * BLOCK_SIZE\"",
              "/buffers/cells/count: variant 'cpu' has no parameter 'BLOCK_SIZE'\n"
              "  2 * N * BLOCK_SIZE\n"
              "          ^"},
        Break{"EmptyBuffer", kManifest, "\"2 * N\"", "\"N - 64\"",
              "/buffers/cells/count: the value is 0, expected at least 1\n"
              "  N - 64\n"
              "  with the defaults N = 64"},
        Break{"FractionOfAnElement", kManifest, "\"2 * N\"", "\"N / 3\"",
              "/buffers/cells/count: the value is 21.333333333333332, expected a whole number\n"
              "  N / 3\n"
              "  with the defaults N = 64"},
        Break{"FillWithoutItsValue", kManifest,
              "{\"kind\": \"uniform\", \"low\": -1, \"high\": 1, \"seed\": 42}", "{\"kind\": \"constant\"}",

              "/buffers/cells/fill: missing key 'value'"},
        Break{"FillWithAnothersKey", kManifest, "\"seed\": 42", "\"value\": 42",
              "/buffers/cells/fill/value: 'value' has no meaning for the fill 'uniform'"},
        Break{"FillWithoutRange", kManifest, "\"high\": 1", "\"high\": -1",
              "/buffers/cells/fill: 'low' is -1, expected less than 'high', -1"},
        Break{"HostVariantThatIsNotOfTheCpu", kManifest, "\"target\": \"host\",",
              "\"target\": \"host\", \"unavailable\": {\"cpu\": \"why\"},",
              "/variants/cpu/unavailable/cpu: a host variant runs on the CPU alone"},
        Break{"PesOfAHostVariant", kManifest, "\"description\": \"serial\"", "\"pes\": 2",
              "/variants/cpu/pes: 'pes' has no meaning in a host variant\n"
              "  a processing element is a process with a GPU of its own"},
        Break{"NoPes", kManifest, "\"prepare\": [", "\"pes\": \"N - 64\", \"prepare\": [",
              "/variants/tiled/pes: the value is 0, expected at least 1\n"
              "  N - 64\n"
              "  with the defaults N = 64"},
        Break{
            "ParameterNamedAsAPe", kManifest, "\"MODE\": \"plain\"},", "\"PES\": 2}, \"pes\": \"PES\",",
            "/variants/tiled/pes: 'PES' is a name of 'pes' and a parameter, problem quantity or buffer, too"},
        Break{
            "CollectiveWithoutPes", kManifest, "\"prepare\": [",
            "\"finish\": [{\"collective\": \"barrier\"}], \"prepare\": [",
            "/variants/tiled/finish/0/collective: the variant has no 'pes', whose processing elements would "
            "do it together\n"
            "  \"pes\": \"GPUS\" runs it on so many"},
        Break{"UnknownCollective", kManifest, "\"prepare\": [",
              "\"pes\": 2, \"finish\": [{\"collective\": \"summ\"}], \"prepare\": [",
              "/variants/tiled/finish/0/collective: expected one of 'barrier', 'sum', found 'summ'\n"
              "  did you mean 'sum'?"},
        Break{"SumOfNothing", kManifest, "\"prepare\": [",
              "\"pes\": 2, \"finish\": [{\"collective\": \"sum\"}], \"prepare\": [",
              "/variants/tiled/finish/0: missing key 'buffer'"},
        Break{"SumOfWhatIsNotSymmetric", kManifest, "\"prepare\": [",
              "\"pes\": 2, \"finish\": [{\"collective\": \"sum\", \"buffer\": \"sums\"}], \"prepare\": [",
              "/variants/tiled/finish/0/buffer: the buffer 'sums' is not symmetric\n"
              "  what all add up lies with each of them: \"memory\": \"symmetric\""},
        Break{"BarrierOfABuffer", kManifest, "\"prepare\": [",
              "\"pes\": 2, \"finish\": [{\"collective\": \"barrier\", \"buffer\": \"sums\"}], \"prepare\": [",
              "/variants/tiled/finish/0/buffer: 'buffer' has no meaning for a barrier"},
        Break{"CollectiveWithArguments", kManifest, "\"prepare\": [",
              "\"pes\": 2, \"finish\": [{\"collective\": \"barrier\", \"args\": []}], \"prepare\": [",
              "/variants/tiled/finish/0/args: 'args' has no meaning beside 'collective'"},
        Break{"GpuOfAPe", kManifest, "\"prepare\": [{", "\"pes\": 1, \"prepare\": [{\"gpu\": 0, ",
              "/variants/tiled/prepare/0/gpu: 'gpu' has no meaning in a variant with 'pes'\n"
              "  each processing element launches on its own GPU"},
        Break{"SymmetricBufferWithoutPes", kManifest, "\"output_only\": true",
              "\"output_only\": true, \"memory\": \"symmetric\"",
              "/buffers/sums/memory: 'sums' is symmetric, and the variant 'tiled', which uses it, has no "
              "'pes'\n"
              "  a symmetric buffer is for variants on several processing elements"},
        Break{
            "MemoryOfNoKind", kManifest, "\"output_only\": true",
            "\"output_only\": true, \"memory\": \"MODE\"",
            "/buffers/sums/memory: the value is 'plain', expected one of device, symmetric, managed, pinned, "
            "pageable\n"
            "  MODE\n"
            "  with the defaults MODE = plain"},
        Break{"MisspeltMemory", kManifest, "\"output_only\": true",
              "\"output_only\": true, \"memory\": \"pined\"",
              "/buffers/sums/memory: unknown kind of memory 'pined'\n  did you mean 'pinned'?"},
        Break{"CopyIntoItself", kManifest, "\"prepare\": [",
              "\"finish\": [{\"copy\": \"sums\", \"to\": \"sums\"}], \"prepare\": [",
              "/variants/tiled/finish/0/to: 'sums' is copied into itself"},
        Break{"CopyToTwoPlaces", kManifest, "\"prepare\": [",
              "\"finish\": [{\"copy\": \"sums\", \"to\": \"cells\", \"symbol\": \"c\"}], \"prepare\": [",
              "/variants/tiled/finish/0/to: 'to' has no meaning beside 'symbol'\n"
              "  a copy goes into another buffer, or into a variable of the program"},
        Break{"CopyIntoAnotherSize", kManifest, "\"prepare\": [",
              "\"finish\": [{\"copy\": \"sums\", \"to\": \"cells\"}], \"prepare\": [",
              "/variants/tiled/finish/0/to: 'cells' has 512 bytes, and 'sums' 16, with the defaults\n"
              "  a copy takes a buffer into one of as many bytes"},
        Break{"PrefetchOfWhatIsNotManaged", kManifest, "\"prepare\": [",
              "\"finish\": [{\"prefetch\": \"sums\", \"to\": \"host\"}], \"prepare\": [",
              "/variants/tiled/finish/0/prefetch: the buffer 'sums' is not in managed memory\n"
              "  a prefetch moves pages: \"memory\": \"managed\""},
        Break{"CopyOfNothing", kManifest, "\"prepare\": [",
              "\"finish\": [{\"to\": \"sums\"}], \"prepare\": [",
              "/variants/tiled/finish/0: missing key 'copy'"},
        Break{"PrefetchToABuffer", kManifest, "\"prepare\": [",
              "\"finish\": [{\"prefetch\": \"sums\", \"to\": \"cells\"}], \"prepare\": [",
              "/variants/tiled/finish/0/to: 'cells' is no place to move managed memory to\n"
              "  it is \"host\" or \"device\""},
        Break{"PrefetchOfACopy", kManifest, "\"prepare\": [",
              "\"finish\": [{\"prefetch\": \"sums\", \"to\": \"host\", \"copy\": \"cells\"}], \"prepare\": [",
              "/variants/tiled/finish/0/copy: 'copy' has no meaning beside 'prefetch'"},
        Break{"FillBeyondItsType", kManifest, "\"high\": 1", "\"high\": 1e300",
              "/buffers/cells/fill/high: 1e+300 is no float32"},
        Break{"FillFromAFileOutside", kManifest,
              "{\"kind\": \"uniform\", \"low\": -1, \"high\": 1, \"seed\": 42}",
              "{\"kind\": \"file\", \"file\": \"../cells.bin\"}",
              "/buffers/cells/fill/file: the path '../cells.bin' leaves kernel_templates/stencil"},
        Break{"FillFromAFileThatIsTooShort", kManifest,
              "{\"kind\": \"uniform\", \"low\": -1, \"high\": 1, \"seed\": 42}",
              "{\"kind\": \"file\", \"file\": \"cpu.cpp\"}",
              "/buffers/cells/fill/file: the file has 26 bytes, the buffer 'cells' with N = 64 needs 512"},
        Break{"FillBehindTheEndOfAFile", kManifest,
              "{\"kind\": \"uniform\", \"low\": -1, \"high\": 1, \"seed\": 42}",
              "{\"kind\": \"file\", \"file\": \"cpu.cpp\", \"offset\": \"2 * N\"}",
              "/buffers/cells/fill/file: the file has 26 bytes, the buffer 'cells' with N = 64 needs 1024"},
        Break{"FillBeforeAFile", kManifest, "{\"kind\": \"uniform\", \"low\": -1, \"high\": 1, \"seed\": 42}",
              "{\"kind\": \"file\", \"file\": \"cpu.cpp\", \"offset\": \"-N\"}",
              "/buffers/cells/fill/file: the offset is -64, expected at least 0"},
        Break{"FillWithAnOffsetIntoNothing", kManifest,
              "{\"kind\": \"uniform\", \"low\": -1, \"high\": 1, \"seed\": 42}",
              "{\"kind\": \"zero\", \"offset\": 4}",
              "/buffers/cells/fill/offset: 'offset' has no meaning for the fill 'zero'"},
        Break{"FillThatCannotBeEvaluated", kManifest,
              "{\"kind\": \"uniform\", \"low\": -1, \"high\": 1, \"seed\": 42}",
              "{\"kind\": \"generated\", \"element\": \"1 / i\"}",
              "/buffers/cells/fill/element: '/' by zero for i = 0\n  1 / i\n    ^"},
        Break{"UnknownReference", kManifest, "{\"variant\": \"cpu\"", "{\"variant\": \"gpu\"",
              "/reference/variant: unknown variant 'gpu'\n"
              "  did you mean 'cpu'?"},
        Break{"UnknownBufferCompared", kManifest, "\"compare\": {\"cells\"", "\"compare\": {\"cell\"",
              "/reference/compare/cell: unknown buffer 'cell'\n"
              "  did you mean 'cells'?"},
        Break{"NothingCompared", kManifest, "{\"cells\": {\"norm\": \"relative_l2\", \"tolerance\": 1e-5}}",
              "{}", "/reference/compare: the object is empty"},
        Break{"ComparedWithoutTolerance", kManifest, ", \"tolerance\": 1e-5", "",
              "/reference/compare/cells: missing key 'tolerance'"},
        Break{"CloseWithATolerance", kManifest, "\"norm\": \"relative_l2\"",
              "\"norm\": \"close\", \"relative\": 1",
              "/reference/compare/cells/tolerance: 'tolerance' has no meaning for the norm 'close'"},
        Break{"CloseToNothing", kManifest, "\"norm\": \"relative_l2\", \"tolerance\": 1e-5",
              "\"norm\": \"close\"", "/reference/compare/cells: missing key 'relative' or 'absolute'"},
        Break{"NegativeCloseness", kManifest, "\"norm\": \"relative_l2\", \"tolerance\": 1e-5",
              "\"norm\": \"close\", \"absolute\": \"-N\"",
              "/reference/compare/cells/absolute: the value is -64, expected a number from 0\n"
              "  -N\n"
              "  with the defaults N = 64"},
        Break{"RelativeToUnits", kManifest, "\"norm\": \"relative_l2\"", "\"norm\": \"ulp\", \"relative\": 1",
              "/reference/compare/cells/relative: 'relative' has no meaning for the norm 'ulp'"},
        Break{"UnitsWithoutTolerance", kManifest, "\"norm\": \"relative_l2\", \"tolerance\": 1e-5",
              "\"norm\": \"ulp\"", "/reference/compare/cells: missing key 'tolerance'"},
        Break{
            "ShareOfMoreThanAll", kManifest, "\"norm\": \"relative_l2\", \"tolerance\": 1e-5",
            "\"norm\": \"differing\", \"tolerance\": \"N / 8\"",
            "/reference/compare/cells/tolerance: the value is 8, expected a share of all elements, at most 1\n"
            "  N / 8\n"
            "  with the defaults N = 64"},
        Break{"NoReferenceAtAll", kManifest, "{\"variant\": \"cpu\", \"compare\"", "{\"compare\"",
              "/reference: missing key 'variant'\n"
              "  or 'python', 'stored' or 'none': what says which results are right"},
        Break{"TwoReferences", kManifest, "{\"variant\": \"cpu\", \"compare\"",
              "{\"variant\": \"cpu\", \"python\": \"cpu.cpp\", \"compare\"",
              "/reference/python: 'python' has no meaning beside 'variant'"},
        Break{"PythonWithoutAFunction", kManifest, "{\"variant\": \"cpu\", \"compare\"",
              "{\"python\": \"cpu.cpp\", \"compare\"", "/reference: missing key 'function'"},
        Break{"PythonThatIsNotThere", kManifest, "{\"variant\": \"cpu\", \"compare\"",
              "{\"python\": \"x.py\", \"function\": \"f\", \"compare\"",
              "/reference/python: no file 'x.py' in kernel_templates/stencil"},
        Break{"PythonThatReadsWhatIsNotThere", kManifest, "{\"variant\": \"cpu\", \"compare\"",
              "{\"python\": \"cpu.cpp\", \"function\": \"f\", \"reads\": [\"w.npy\"], \"compare\"",
              "/reference/reads/0: no file 'w.npy' in kernel_templates/stencil"},
        Break{"PythonThatReadsAFolderAbove", kManifest, "{\"variant\": \"cpu\", \"compare\"",
              "{\"python\": \"cpu.cpp\", \"function\": \"f\", \"reads\": [\"..\"], \"compare\"",
              "/reference/reads/0: the path '..' leaves kernel_templates/stencil"},
        Break{"ReadsOfAVariant", kManifest, "{\"variant\": \"cpu\", \"compare\"",
              "{\"variant\": \"cpu\", \"reads\": [\"cpu.cpp\"], \"compare\"",
              "/reference/reads: 'reads' has no meaning beside 'variant'"},
        Break{"PythonByWhatSomeLack", kManifest, "{\"variant\": \"cpu\", \"compare\"",
              "{\"python\": \"cpu.cpp\", \"function\": \"f\", \"by\": [\"MODE\"], \"compare\"",
              "/reference/by/0: not all variants have a parameter 'MODE'\n"
              "  it has to compute what is right for each value"},
        Break{
            "NoneThatSaysNothing", kManifest,
            "{\"variant\": \"cpu\", \"compare\": {\"cells\": {\"norm\": \"relative_l2\", \"tolerance\": 1e-5}}}",
            "{\"none\": \"\"}", "/reference/none: expected why there is none"},
        Break{"NoneThatIsCompared", kManifest, "{\"variant\": \"cpu\", \"compare\"",
              "{\"none\": \"random\", \"compare\"",
              "/reference/compare: 'compare' has no meaning beside 'none'"},
        Break{
            "NoneThatIsVerified", kManifest,
            "{\"variant\": \"cpu\", \"compare\": {\"cells\": {\"norm\": \"relative_l2\", \"tolerance\": 1e-5}}}",
            "{\"none\": \"random\"}, \"verify\": {\"draws\": 3}",
            "/verify: nothing is verified: the reference is 'none'"},
        Break{
            "StoredWithRandomInputs", kManifest, "{\"variant\": \"cpu\", \"compare\"",
            "{\"stored\": {\"cells\": \"cpu.cpp\"}, \"problem\": {\"N\": 2}, \"compare\"",
            "/reference/stored: stored results are of one draw, and the buffer 'cells' is filled with other random "
            "numbers in each\n"
            "  fill it from a file, by an expression or with one value\n"
            "experiments/stencil/block_size.json: /problem/N: N is 64, and the results that are stored to compare "
            "with are of 2\n"
            "  a reference that computes them (a variant, or Python) is right for every problem"},
        Break{"CyclicWork", kManifest, "\"pairs\": \"N * N\"", "\"pairs\": \"flop / 20\"",
              "/work/flop: cyclic: flop -> pairs -> flop\n"
              "  20 * pairs\n"
              "       ^"},
        Break{"WorkNamesItself", kManifest, "\"pairs\": \"N * N\"", "\"pairs\": \"2 * pairs\"",
              "/work/pairs: cyclic: pairs -> pairs\n"
              "  2 * pairs\n"
              "      ^"},
        Break{"UnknownQuantityInWork", kManifest, "\"20 * pairs\"", "\"20 * pair\"",
              "/work/flop: unknown parameter 'pair'\n"
              "  20 * pair\n"
              "       ^ did you mean 'pairs'?"},
        Break{
            "NegativeWork", kManifest, "\"N * N\"", "\"N - 100\"",
            "/work/flop: the value is -720, expected a number from 0\n"
            "  20 * (N - 100)\n"
            "  with the defaults N = 64\n"
            "kernel_templates/stencil/system.json: /work/pairs: the value is -36, expected a number from 0\n"
            "  N - 100\n"
            "  with the defaults N = 64"},
        Break{"MissingSource", kManifest, "\"tiled.cu\"", "\"tilde.cu\"",
              "/variants/tiled/source: no file 'tilde.cu' in kernel_templates/stencil\n"
              "  did you mean 'tiled.cu'?"},
        Break{"SourceLeavesTheFolder", kManifest, "\"tiled.cu\"", "\"../stencil/tiled.cu\"",
              "/variants/tiled/source: the path '../stencil/tiled.cu' leaves kernel_templates/stencil"},
        Break{"SourceIsAbsolute", kManifest, "\"tiled.cu\"", "\"/dev/null\"",
              "/variants/tiled/source: the path '/dev/null' is absolute\n"
              "  give it relative to kernel_templates/stencil"},
        Break{"NoLaunch", kManifest, "[{\"function\": \"step\", \"args\": [\"cells\", \"DT\", \"N\"]}]", "[]",

              "/variants/cpu/launches: the array is empty"},
        Break{"KernelInAHostVariant", kManifest, "\"function\": \"step\"",
              "\"function\": \"step\", \"grid\": 1",
              "/variants/cpu/launches/0/grid: 'grid' has no meaning in a host variant"},
        Break{"HostVariantWithoutFunction", kManifest, "\"function\": \"step\", ", "",
              "/variants/cpu/launches/0: missing key 'function'"},
        Break{"LaunchWithoutBlock", kManifest, " \"block\": \"BLOCK_SIZE\",", "",
              "/variants/tiled/launches/0: missing key 'block'"},
        Break{"KernelIsNoName", kManifest, "\"kernel\": \"step\"", "\"kernel\": \"step()\"",
              "/variants/tiled/launches/0/kernel: 'step()' is no identifier (letters, digits and '_', no "
              "digit first)"},
        Break{"KernelWithoutClosingBracket", kManifest, "fill<4>", "fill<4",
              "/variants/tiled/prepare/0/kernel: 'setup::fill<4' lacks the '>' of its template arguments"},
        Break{"UnknownParameterInGrid", kManifest, "\"ceil_div(N, BLOCK_SIZE)\", \"1",
              "\"ceil_div(N, BLOCKSIZE)\", \"1",
              "/variants/tiled/launches/0/grid/0: unknown parameter 'BLOCKSIZE'\n"
              "  ceil_div(N, BLOCKSIZE)\n"
              "              ^ did you mean 'BLOCK_SIZE'?"},
        Break{"EmptyGrid", kManifest, "\"ceil_div(N, BLOCK_SIZE)\", \"1", "\"N // 2 // BLOCK_SIZE - 1\", \"1",

              "/variants/tiled/launches/0/grid/0: the value is 0, expected at least 1\n"
              "  N // 2 // BLOCK_SIZE - 1\n"
              "  with the defaults N = 64, BLOCK_SIZE = 32"},
        Break{"BlockIsText", kManifest, "\"block\": \"BLOCK_SIZE\"", "\"block\": \"MODE\"",
              "/variants/tiled/launches/0/block: the value is 'plain', expected a whole number\n"
              "  MODE\n"
              "  with the defaults MODE = plain"},
        Break{"FourDimensions", kManifest, "\"block\": [8, 8]", "\"block\": [8, 8, 1, 1]",
              "/variants/tiled/prepare/0/block: expected at most 3 items, found 4"},
        Break{"SizeIsAnObject", kManifest, "\"block\": [8, 8]", "\"block\": {\"x\": 8}",
              "/variants/tiled/prepare/0/block: expected a string, a number, a boolean or an array, found an "
              "object"},
        Break{"UnknownArgument", kManifest, "\"args\": [\"sums\"]", "\"args\": [\"sum\"]",
              "/variants/tiled/prepare/0/args/0: unknown argument 'sum'\n"
              "  did you mean 'sums'?"},
        Break{"ExpressionForArgument", kManifest, "\"args\": [\"sums\"]", "\"args\": [\"N / 2\"]",
              "/variants/tiled/prepare/0/args/0: unknown argument 'N / 2'\n"
              "  an expression is written {\"value\": \"N / 2\", \"type\": \"int32\"}"},
        Break{"RealForArgument", kManifest, "\"args\": [\"sums\"]", "\"args\": [\"sums\", \"2.5\"]",
              "/variants/tiled/prepare/0/args/1: unknown argument '2.5'\n"
              "  an expression is written {\"value\": \"2.5\", \"type\": \"float32\"}"},
        Break{"LiteralForArgument", kManifest, "\"args\": [\"sums\"]", "\"args\": [\"sums\", 2]",
              "/variants/tiled/prepare/0/args/1: expected a string or an object, found an integer\n"
              "  a literal is written with its type: {\"value\": 1.5, \"type\": \"float32\"}"},
        Break{
            "EmptyArgument", kManifest, "\"args\": [\"sums\"]", "\"args\": [\"sums\", {}]",
            "/variants/tiled/prepare/0/args/1: the object is empty\n"
            "  an argument is a name, {\"value\": \"N / 2\", \"type\": \"int32\"}, "
            "{\"buffers\": [\"a\", \"b\"], \"index\": 0}, {\"buffer\": \"a\", \"offset\": 8}, {\"bytes\": \"0000803f\"} or "
            "{\"struct\": [\"a\", \"N\"]}"},
        Break{"ArgumentOfUnknownKeys", kManifest, "\"args\": [\"sums\"]",
              "\"args\": [\"sums\", {\"valeu\": 2}]",
              "/variants/tiled/prepare/0/args/1/valeu: unknown key 'valeu'\n"
              "  did you mean 'value'?"},
        Break{"TextForArgument", kManifest, "\"args\": [\"sums\"]", "\"args\": [\"MODE\"]",
              "/variants/tiled/prepare/0/args/0: the parameter 'MODE' is text, which cannot be an argument"},
        Break{"ArgumentBeyondItsType", kManifest, "{\"value\": \"N / 2\", \"type\": \"int64\"}",
              "{\"value\": \"0 - N\", \"type\": \"uint32\"}",
              "/variants/tiled/launches/0/args/5/value: expected an integer that fits uint32, found -64"},
        Break{"FractionForArgument", kManifest, "\"N / 2\"", "\"N / 3\"",
              "/variants/tiled/launches/0/args/5/value: expected a whole number, found 21.333333333333332\n"
              "  N / 3\n"
              "  with the defaults N = 64"},
        Break{"OptionWithoutDash", kManifest, "\"--use_fast_math\"", "\"use_fast_math\"",
              "/variants/tiled/options/use_fast_math: 'use_fast_math' is no compiler option: '-' first, no "
              "spaces"},
        Break{"OptionWithoutPlaceForItsValue", kManifest, "--maxrregcount={}", "--maxrregcount",
              "/variants/tiled/options/--maxrregcount: the option has no '{}' for the value 64\n"
              "  write '--maxrregcount={}', or an expression that is true or false"},
        Break{"FlagWithAPlaceForAValue", kManifest, "--use_fast_math", "--use_fast_math={}",
              "/variants/tiled/options/--use_fast_math={}: the option has '{}' for a value, found true"},
        Break{"NegativeStream", kManifest, "\"stream\": 1", "\"stream\": -1",
              "/variants/tiled/launches/0/stream: the value is -1, expected at least 0\n"
              "  -1"},
        Break{"StreamBeyondTheLast", kManifest, "\"stream\": 1", "\"stream\": \"N\"",
              "/variants/tiled/launches/0/stream: the value is 64, expected less than 32\n"
              "  N\n"
              "  with the defaults N = 64"}),
    name_of);

}  // namespace
}  // namespace tailwave
