"""Receive the files of the page "Upload" in GISC_UPLOAD_DIR, where they stay: no larger than GISC_UPLOAD_MAX_MB together.

Nothing is received from somebody who may not upload. The files of other pages are left to the handlers after this one.
"""

import tempfile
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.core.files.uploadedfile import TemporaryUploadedFile
from django.core.files.uploadhandler import FileUploadHandler, StopFutureHandlers, StopUpload
from django.urls import reverse

_BYTES_PER_MB = 1_000_000


class ReceivedFile(TemporaryUploadedFile):
    """A file in GISC_UPLOAD_DIR, which is deleted when it is closed, unless it was moved."""

    def __init__(self, name: str, content_type: str, charset: str | None) -> None:
        settings.GISC_UPLOAD_DIR.mkdir(mode=0o700, parents=True, exist_ok=True)
        file = tempfile.NamedTemporaryFile(prefix="incoming-", dir=settings.GISC_UPLOAD_DIR)  # noqa: SIM115  # the request closes it
        super(TemporaryUploadedFile, self).__init__(file, name, content_type, 0, charset)

    @property
    def path(self) -> Path:
        return Path(self.temporary_file_path())


class IntoUploadFolder(FileUploadHandler):
    """Takes the files of the page "Upload". When they are too large, the request gets the attribute `is_over_limit`."""

    _is_active = False
    _received = 0
    _file: ReceivedFile

    def handle_raw_input(self, *values: Any, **named: Any) -> None:
        request = self.request
        self._is_active = request is not None and request.path == reverse("admin:catalogue_upload_add")
        if self._is_active and request is not None and not request.user.has_perm("catalogue.add_upload"):
            raise PermissionDenied

    def new_file(self, *values: Any, **named: Any) -> None:
        super().new_file(*values, **named)
        if self._is_active:
            self._file = ReceivedFile(self.file_name or "", self.content_type or "", self.charset)
            raise StopFutureHandlers

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes | None:
        if not self._is_active:
            return raw_data
        self._received += len(raw_data)
        if self._received > settings.GISC_UPLOAD_MAX_MB * _BYTES_PER_MB:
            self.request.is_over_limit = True  # type: ignore[union-attr]
            self._file.close()
            raise StopUpload(connection_reset=False)  # the rest is read and thrown away, so that the page can say why
        self._file.write(raw_data)
        return None

    def file_complete(self, file_size: int) -> ReceivedFile | None:
        if not self._is_active:
            return None
        self._file.flush()
        self._file.seek(0)
        self._file.size = file_size
        return self._file

    def upload_interrupted(self) -> None:
        if self._is_active and hasattr(self, "_file"):
            self._file.close()
