// What --json and the API show of `stats`: names in snake_case. A field is added, never renamed.
import { snakeKeys } from '../../core/snake-keys.ts';
import type { Stats } from '../../tasks/contract/operations.ts';

/** The whole of `stats`: every key is a fixed one, but for the names of statuses, which are one word each. */
export function statsJson(stats: Stats): unknown {
  return snakeKeys(stats);
}
