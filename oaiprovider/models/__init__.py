"""Models of the provider: profiles of harvesters, containers of Identify, uploaded crosswalks, versions of formats."""

from oaiprovider.models.crosswalk import Crosswalk, Generation
from oaiprovider.models.profile import IdentifyDescription, Profile, default_terms, ensure_any

__all__ = ["Crosswalk", "Generation", "IdentifyDescription", "Profile", "default_terms", "ensure_any"]
