"""The list of everything that modules keep in memory between two calls, and how each of it is reset.

`tests/project/test_module_state.py` looks for such state in all modules and compares what it finds with this list. Whoever
adds a cache, a flag of what was done today, a lock or a thread-local adds a line here. Not listed: loggers, the counters
of Prometheus, and what Django and Celery register.
"""

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType

Reset = Callable[[ModuleType, str], object]


@dataclass(frozen=True, slots=True)
class ModuleState:
    """A name of a module whose value changes while the process runs. `reset`: None where nothing outlives a call."""

    module: str
    name: str
    what: str
    reset: Reset | None


def memo(module: ModuleType, name: str) -> None:
    """Forget the results of a function. They are never wrong: they depend on its arguments and on files of this version."""
    getattr(module, name).cache_clear()


def forget(module: ModuleType, name: str) -> None:
    """Forget the results of a function. They depend on rows, settings or earlier requests."""
    getattr(module, name).cache_clear()


def clear(module: ModuleType, name: str) -> None:
    """Empty a collection."""
    getattr(module, name).clear()


def call(function: str) -> Reset:
    """Call a function of the module that resets its state."""
    return lambda module, _name: getattr(module, function)()


def assign(make: Callable[[], object]) -> Reset:
    """Give the name the value that it has after the import."""
    return lambda module, name: setattr(module, name, make())


STATES = (
    # --- What was done, and when ---
    ModuleState(
        "catalogue.validation", "_last_walk", "rules and start of the last complete walk", assign(lambda: None)
    ),
    ModuleState("harvester.rows.prune", "_idle_until", "when it is looked again for old runs", assign(lambda: 0.0)),
    ModuleState("gisc.upkeep", "_next_s", "when it is cleaned up next", assign(lambda: 0.0)),
    ModuleState("gisc.parts.reading", "_migrated", "all migrations were found applied", assign(lambda: False)),
    ModuleState("gisc.shared_sessions", "_checked", "databases whose sessions are the process's own", call("forget")),
    ModuleState("catalogue.reading.replica", "_pause_until_s", "until when it is not asked", call("forget")),
    ModuleState("catalogue.reading.replica", "SOURCE", "the database of lists; set for the length of a block", None),
    ModuleState("oaiprovider.views", "_last_outcome", "what was logged last of the replica", assign(lambda: "")),
    ModuleState("gisc.parts.parts", "_last", "the parts as they were read last, for pages", assign(lambda: None)),
    ModuleState("harvester.monitoring.metrics", "_seen", "names of the links that were read last", assign(tuple)),
    # --- What was read from the database, or learnt from requests ---
    ModuleState("catalogue.payloads.payload", "_cache", "dictionaries by id, the newest one", call("clear_cache")),
    ModuleState("oaiprovider.models.profile", "_terms", "terms by edition of the profiles and by client", forget),
    ModuleState("oaiprovider.record_cache", "process_cache", "rendered and compressed records, by settings", forget),
    ModuleState("oaiprovider.formats.custom", "_failed", "records on which an uploaded stylesheet failed", clear),
    ModuleState(
        "oaiprovider.flow_control", "_state", "until when Redis is not asked, as it did not answer", call("reset")
    ),
    ModuleState("oaiprovider.flow_control", "_script", "the script, and the connections to Redis", forget),
    # --- Processes ---
    ModuleState("oaiprovider.formats.sandbox", "_idle", "helper processes that wait for a record", call("close")),
    ModuleState("harvester.runs.shared_worker", "_process", "the runs that have a thread here, and its slot", None),
    ModuleState("gisc.node.worker", "_worker_pid", "the process that the pool processes end with", assign(os.getpid)),
    ModuleState("gisc.reused_connections.base", "idle", "connections that no thread of a worker has", call("forget")),
    # --- Empty between two calls: locks, counts of calls, tools of a thread ---
    ModuleState("catalogue.seams", "globals()", "clocks and threads; replaced for the length of a block", None),
    ModuleState("gisc.early_texts", "_language", "the language of a command; set for the length of a block", None),
    ModuleState("catalogue.log_context", "facts", "what a thread is about; set for the length of a block", None),
    ModuleState("catalogue.acting", "_current", "who changes records; set for the length of a block", None),
    ModuleState("gisc.audit.collecting", "_current", "what an act changes; set for the length of a block", None),
    ModuleState("gisc.audit.collecting", "_listeners", "how many acts are in progress in this process", None),
    ModuleState("catalogue.seams", "_host", "starts threads and processes; keeps none", None),
    *(
        ModuleState(module, "LIMITS", "limits in force; replaced for the length of a block", None)
        for module in (
            *("catalogue.documents.archives", "catalogue.documents.complexity", "catalogue.writing.read_apart"),
            "catalogue.admin.record_acts",
            "catalogue.writing.set_changes",
            "catalogue.writing.set_searches",
            *("catalogue.pages.paging", "catalogue.payloads.dictionaries", "catalogue.writing.read_back"),
            *("catalogue.validation", "harvester.rows.damaged_records"),
            *("catalogue.bulk.upload", "catalogue.discovery.site_map", "catalogue.reading.query.search_limits"),
            *("catalogue.discovery.ogcapi.cql", "catalogue.discovery.sru.cql"),
            *("catalogue.discovery.csw.filters", "catalogue.discovery.csw.parameters"),
            *("catalogue.reading.query.statements", "catalogue.reading.replica", "catalogue.ticks"),
            *("harvester.net.client", "harvester.runs.shared_worker", "harvester.schedule"),
            *("oaiprovider.formats.sandbox", "oaiprovider.list_entries", "gisc.accounts.lock_out"),
        )
    ),
    ModuleState("catalogue.discovery.sru.cql", "_parser", "a parser for each thread; keeps no query", None),
    ModuleState("catalogue.documents.xml_tree", "parsers", "a parser for each thread; keeps no document", None),
    ModuleState("harvester.net.session", "deadline", "set for the length of a request", None),
    ModuleState("harvester.net.networks", "route", "set for the length of a request", None),
    ModuleState("oaiprovider.flow_control", "in_progress", "number of requests that are being answered", None),
    ModuleState("oaiprovider.flow_control", "_slots", "slots for making answers", None),
    ModuleState("oaiprovider.formats.sandbox", "_lock", "guards the idle helpers; a new one after a fork", None),
    ModuleState("gisc.public_pages", "_turns", "turns of views of public pages", None),
    ModuleState("gisc.wsgi", "_endpoint", "the handler of `/oai`, with its middleware", None),
    # --- Results of pure functions ---
    ModuleState("catalogue.pages.interfaces", "_is_installed", "whether a package is installed", memo),
    ModuleState("catalogue.documents.iso19139", "_names", "whether a text names a code list", memo),
    ModuleState("catalogue.writing.vocabulary", "_remembered", "words that the vocabulary is known to have", clear),
    ModuleState("catalogue.documents.search_terms", "word_of", "words with their stems", memo),
    ModuleState("catalogue.documents.search_terms", "_known_words", "terms of words by language", memo),
    ModuleState(
        "catalogue.documents.search_terms", "algorithm_of", "stemmers of languages as records write them", memo
    ),
    ModuleState("catalogue.documents.search_terms", "_stemmer", "stemmers by language; keep nothing of a word", memo),
    ModuleState("catalogue.documents.search_terms", "filter_term", "terms of the values of filters", memo),
    ModuleState("catalogue.documents.languages", "language_code", "codes of languages as records write them", memo),
    ModuleState("catalogue.documents.search_terms", "stems_asked", "stems that a word of a search may have", memo),
    ModuleState("catalogue.documents.schemas", "load", "compiled schemas of a set", memo),
    ModuleState("catalogue.documents.schemas", "load_from_address", "compiled schemas by public address", memo),
    ModuleState("catalogue.documents.schemas", "fingerprint", "digest of a folder of schemas", memo),
    ModuleState("catalogue.documents.xml_tree", "_names_of_usual", "names of the attributes in a start tag", memo),
    ModuleState("catalogue.payloads.dictionaries", "_train_on_shipped_samples", "the first dictionary", memo),
    ModuleState("catalogue.validation", "_schema", "compiled schemas, or that they are unusable", memo),
    ModuleState("catalogue.validation", "_code_digest", "digest of the code of the checks", memo),
    ModuleState("oaiprovider.browsing", "_transform", "the compiled stylesheet of the pages", memo),
    ModuleState("oaiprovider.list_entries", "_stamp_and_specs", "datestamp and setSpecs as a header has them", memo),
    ModuleState("oaiprovider.metrics", "_answers", "counters by their labels", memo),
    ModuleState("oaiprovider.metrics", "_seconds", "histograms by their labels", memo),
    ModuleState("catalogue.documents.dublin_core", "_transform", "the compiled crosswalk", memo),
    ModuleState("oaiprovider.protocol.provenance", "_as_date", "dates as they go out", memo),
    ModuleState("oaiprovider.protocol.provenance", "_harvest", "the abouts of a harvest's records", memo),
    ModuleState("oaiprovider.protocol.provenance", "_is_uri", "whether a text is a URI", memo),
    ModuleState("oaiprovider.protocol.render", "_origin_description", "elements of a harvest in an about", memo),
    ModuleState("oaiprovider.protocol.render", "_provenance_start", "a start tag", memo),
    ModuleState("oaiprovider.protocol.render", "_rest_of_header", "datestamp and sets of a header, as bytes", memo),
)


def reset_all(*, memos: bool = False) -> None:
    """Bring all state to where it is after the import; no other thread may be at work.

    `memos`: the results of pure functions, too. They are never wrong, and some take a second to make again.
    """
    for state in STATES:
        module = sys.modules.get(state.module)  # a module that is not imported has no state
        if module is not None and state.reset is not None and (memos or state.reset is not memo):
            state.reset(module, state.name)
