# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""MemoryObjs on the pool's own bytes: one for each extent, nothing is copied.

The bytes of all of them are views on one tensor that covers the mapping, which
keeps it: the client cannot be closed while one is in use anywhere.
"""
import weakref

import torch
from lmcache.v1.distributed.api import MemoryLayoutDesc
from lmcache.v1.memory_management import MemoryFormat, MemoryObjMetadata, TensorMemoryObj

import marul1


class Memory:
    """The mapped pool of @client, whose MemoryObjs belong to manager @owner."""

    def __init__(self, client: marul1.Client, owner: int):
        self._owner = owner
        self.address, self.size = client.map()
        self._bytes: torch.Tensor | None = torch.frombuffer(client.view(0, self.size),
                                                            dtype=torch.uint8)
        self._objects: weakref.WeakValueDictionary[int, TensorMemoryObj] = \
            weakref.WeakValueDictionary()

    def object(self, ident: int, offset: int, room: int, layout: MemoryLayoutDesc,
               used: int | None = None) -> TensorMemoryObj:
        """The one MemoryObj of the object or reservation @ident.

        @room: bytes of its extent; @used: of them, if less than the layout has.
        """
        found = self._objects.get(ident)
        if found is not None:
            return found
        meta = MemoryObjMetadata(shape=layout.shapes[0], dtype=layout.dtypes[0], address=offset,
                                 phy_size=room, ref_count=1, fmt=MemoryFormat.KV_2LTD,
                                 shapes=list(layout.shapes), dtypes=list(layout.dtypes))
        made = TensorMemoryObj(self._bytes[offset:offset + room], meta, None)
        if hasattr(made, "set_l1_manager"):
            made.set_l1_manager(self._owner)
        if used is not None and used != made.get_size():
            made.set_used_size(used)
        # Two threads may have come here: the first to enter it is the one.
        return self._objects.setdefault(ident, made)

    def close(self) -> None:
        """Lets go of the mapping; others may still have parts of it."""
        self._objects.clear()
        self._bytes = None
