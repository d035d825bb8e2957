# tailwave's commands. `make` alone lists them. Every target first sees to it that nothing is missing (cmake/setup.sh,
# 0.1 s when nothing is).

SPEC   ?= experiments/nbody/variants.json
TARGET ?= h100
DEVICE ?= auto
DB     ?= results/tailwave.db
ROUNDS ?= 1000
SEED   ?= 1
SEEDS  ?= 20
PREFIX ?= /usr/local

tailwave := build/tailwave
recorded := $(filter-out $(wildcard results/report/*/* results/*/spaces/*),$(wildcard results/*/*/*.json results/*/*/*.json.gz))
cores    := $(shell nproc)
comma    := ,

# CUDA=toolkit|wheels|none forces where the CUDA headers and NVRTC come from.
ifdef CUDA
export TAILWAVE_CUDA := $(CUDA)
endif

# Said in one line, however many files there are.
import_recorded = $(if $(recorded),$(tailwave) import $(recorded) --db $(DB) >build/import.log && \
                  echo 'recorded results: $(words $(recorded)) files (build/import.log)')

configure = if command -v ninja >/dev/null; then export CMAKE_GENERATOR=Ninja; fi; \
            cmake --preset $(1) -DTAILWAVE_WERROR=$(if $(CI),ON,OFF) --log-level=WARNING >/dev/null
build     = cmake --build $(1) --parallel $(cores) $(if $(2),--target $(2))
.DEFAULT_GOAL := help
.PHONY: help setup ready build run test report plan portable archive install deb format alone tidy asan faults docs bench \
        bench-search foreign clean

help: ## list the targets
	@echo 'make TARGET, where TARGET is one of:'
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 14 | sed 's/^/  /'

setup: ## install what is missing: packages, CUDA headers and NVRTC
	@cmake/setup.sh retry

# With what draws the charts of reports; without a network the reports go without.
ready:
	@cmake/setup.sh charts

build: ready ## build/tailwave
	@$(call configure,release)
	@$(call build,build,tailwave)

run: build ## run an experiment and report on it: make run [SPEC=FILE] [DEVICE=auto|cuda:0|cpu]
	$(tailwave) run $(SPEC) --device $(DEVICE) --db $(DB)
	@$(import_recorded)
	$(tailwave) report $(SPEC) --db $(DB)

report: build ## import the recorded results, then write all tables to results/report
	@$(import_recorded)
	$(tailwave) report --db $(DB)

plan: build ## compile and explain without a GPU: make plan [SPEC=FILE] [TARGET=a100|sm_90|all]
	$(tailwave) plan $(SPEC) --target $(TARGET)

test: ready ## build everything and run all tests
	@cmake/setup.sh browser frameworks slurm
	@$(call configure,release)
	@$(call build,build)
	cmake/test.sh build

asan: ready ## run the tests that need no GPU under AddressSanitizer and UndefinedBehaviorSanitizer: make asan [EIGHTH=1..8]
	@$(call configure,asan)
	@$(call build,build-asan)
	@# Not what kernels, NVRTC, SQLite or Python do alone, nor what only repeats what others go through: of the strategies two,
	@# of large spaces and of claims one. EIGHTH: of these an eighth.
	left_out="$$(printf %s \
	  '^(ComparisonKernels[.]CompileForOldDevices|Norms/ComparisonKernelsOfNorm[.]|ComparisonKernelsOnTheCpu[.]|Targets/|Nvrtc[.]|' \
	  'Python[.]|RunTest[.](FindsEveryJacobi|SurvivesTenKills)|InstallTest[.]|Systems/|Modes/RefereeInMode[.]|' \
	  'Claims[.]OfTheRecordedResults|ClaimCases[.]|UnlistedSpace[.]IsWhatIsHardToFind|LargeSpaceCommands[.](Tune|Check)|' \
	  'Comparison[.]OfLargeArraysIsTheSame|Faults[.]OfHostVariants|Experiment[.]OfThisRepository|' \
	  'Shapes/NewFromTest[.]|All/KernelTunerExample[.]|' \
	  'Each/LargeSpaces[.]GiveTheSame.*/(annealing|bayesian|differential|genetic|hybrid|iterated|particle|wave))')"; \
	part="$(if $(EIGHTH),--tests-information $(EIGHTH)$(comma)$(comma)8)"; \
	cmake/test.sh build-asan --label-exclude '^(gpu|cli)$$' --exclude-regex "$$left_out" $$part && \
	cmake/test.sh build-asan --label-regex '^cli$$' --exclude-regex "$$left_out" $$part

faults: build ## let small runs fail at random moments: make faults [ROUNDS=1000] [SEED=1] [DEVICE=auto|cuda:0|cpu]
	@$(call build,build,faults_driver)
	build/tests/faults/driver --rounds $(ROUNDS) --seed $(SEED) --device $(DEVICE)

docs: ready ## write the pages of docs/ that are made from sources: schema.md, reference.md
	@$(call configure,release)
	@$(call build,build,docs_test)
	@TAILWAVE_UPDATE_DOCS=1 build/tests/docs/docs_test --gtest_filter='*Page.*' >build/docs.log || { cat build/docs.log; exit 1; }

bench: build ## build and run tailwave's own benchmarks: make bench [DEVICE=auto|cuda:0|cpu]
	@cmake/setup.sh bench
	@$(call build,build,benchmarks)
	@tests/bench/constraint_rate.sh
	tests/bench/throughput.sh $(tailwave) $(DEVICE)
	tests/bench/real_sizes.sh $(tailwave) $(DEVICE)
	tests/bench/give_up.sh $(tailwave) $(DEVICE)
	tests/bench/shards.sh $(tailwave) build/shards
	rm -f build/simulate.db
	$(tailwave) simulate $(wildcard results/spaces/*.json.gz) --db build/simulate.db

bench-search: build build/spaces.db ## scores of search strategies on public spaces, which it fetches: make bench-search [SEEDS=20]
	tests/bench/search_table.py $(tailwave) build/spaces.db .deps/spaces --seeds $(SEEDS)

build/spaces.db: tests/bench/spaces.txt $(recorded) | build
	@cmake/setup.sh search
	@tests/bench/fetch_spaces.sh .deps/spaces
	@rm -f $@ $@-* $@.new*
	@$(tailwave) import $$(sed '/^#/d; s|\t.*|.json.gz|; s|^|.deps/spaces/|' $<) $(recorded) --db $@.new --quiet >build/import.log
	@mv $@.new $@

foreign: build ## how good predictions for another GPU are on public measurements, which it fetches
	@$(call build,build,foreign_record)
	tests/bench/foreign.sh build

portable: ## build-portable/tailwave: one file that needs only glibc
	@cmake/setup.sh charts portable
	@$(call configure,portable)
	@$(call build,build-portable,tailwave)
	@cmake/check_portable.sh build-portable/tailwave

archive: portable ## build-portable/tailwave-VERSION-linux-ARCH.tar.gz: a folder that runs wherever it is unpacked
	@cmake/archive.sh build-portable

install: build ## install tailwave: make install PREFIX=/usr/local [DESTDIR=FOLDER]
	cmake --install build --prefix $(PREFIX)

deb: build ## build/tailwave_VERSION_ARCH.deb
	@cmake/setup.sh deb
	cd build && cpack -G DEB

format: ## clang-format the sources; CHECK=1 only verifies
	@cmake/setup.sh format
	@git ls-files --cached --others --exclude-standard '*.cpp' '*.h' | \
	  xargs clang-format-14 $(if $(CHECK),--dry-run --Werror,-i) && echo 'format: ok'

alone: ready ## compile every file by itself, and look for names that are defined twice: make alone [EIGHTH=1..8]
	@$(call configure,alone)
	@$(if $(EIGHTH),cmake/alone.sh build-alone $(EIGHTH),$(call build,build-alone,alone)) && echo 'alone: ok'

tidy: alone ## clang-tidy over harness/: make tidy [EIGHTH=1..8]
	@cmake/setup.sh tidy
	@cmake/tidy.sh build-alone $(EIGHTH)

clean: ## remove what was built; keeps .deps/ and results/
	rm -rf build build-alone build-asan build-portable
