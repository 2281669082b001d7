// Opening the live terminal: what the command hands to the face that draws it.

import type { RoomClient } from '../../app/open-room.ts';
import type { Effects } from '../../effects.ts';

export interface TopRequest {
  /** Only tasks of this scope. */
  scope: string | null;
  filter: string;
  withColors: boolean;
  effects: Effects;
  /** The daemon of a room on another machine; null beside the room. */
  elsewhere: { url: string; token: string } | null;
  /** Opens the room for as long as the caller likes; who opens it closes it. */
  openRoom(options: { readOnly: boolean }): Promise<RoomClient>;
}
