"""The tables of the catalogue: fields, constraints and facts about one row; written by the layers above it."""

from catalogue.models.catalogue_day import CatalogueDay
from catalogue.models.category import Category, RecordCategory, SourceCategory
from catalogue.models.claim import Claim, SpellingChange
from catalogue.models.damaged_record import DamagedRecord, ReadBackWalk
from catalogue.models.datestamp_clock import DatestampClock, DayLived, HostUptime
from catalogue.models.description import Description, Word
from catalogue.models.dictionary import Dictionary
from catalogue.models.health import CatalogueCanary, FailingChore, TickCanary
from catalogue.models.journal import JournalOutbox, JournalPosition, JournalWriter
from catalogue.models.membership import ListSize, Membership
from catalogue.models.metadata_set import MetadataSet, SetChange, SetInclusion, SetSearch, validate_set_spec
from catalogue.models.overview import Overview
from catalogue.models.record import LAST_PART, SOURCE, Purged, Record, RecordQuerySet, RecordVersion
from catalogue.models.upload import Upload, UploadDocument
from catalogue.models.validation import CompletedWalk, Quality, Validation
from catalogue.models.visibility import Audience, VisibilityChange, Withdrawal
from catalogue.models.watched_folder import WatchedFile, WatchedFolder, WatchedRecord

__all__ = [
    "Audience",
    "CatalogueCanary",
    "CatalogueDay",
    "Category",
    "Claim",
    "CompletedWalk",
    "DamagedRecord",
    "DatestampClock",
    "DayLived",
    "Description",
    "Dictionary",
    "FailingChore",
    "HostUptime",
    "JournalOutbox",
    "JournalPosition",
    "JournalWriter",
    "LAST_PART",
    "ListSize",
    "Membership",
    "MetadataSet",
    "Overview",
    "Purged",
    "Quality",
    "ReadBackWalk",
    "Record",
    "RecordCategory",
    "RecordQuerySet",
    "RecordVersion",
    "SOURCE",
    "SetChange",
    "SetInclusion",
    "SetSearch",
    "SourceCategory",
    "SpellingChange",
    "TickCanary",
    "Upload",
    "UploadDocument",
    "Validation",
    "VisibilityChange",
    "WatchedFile",
    "WatchedFolder",
    "WatchedRecord",
    "Withdrawal",
    "Word",
    "validate_set_spec",
]
