// What every part of this provider is handed to speak with Linear for one source.
import type { Documents } from './documents.ts';
import type { Teams } from './teams.ts';
import type { Reading } from './to-remote-task.ts';
import type { Ask } from './transport.ts';

export interface LinearApi {
  ask: Ask;
  documents: Documents;
  /** What the answers mean for this source. */
  reading: Reading;
  teams: Teams;
}
