// `.taskroom/`: what stands in it is at times more private than any one file of the room, so it is its owner's alone.
import { chmodSync, mkdirSync, statSync } from 'node:fs';
import type { Room } from './room.ts';

const OURS_ALONE = 0o700;
const OTHERS = 0o007;

/**
 * Makes the folder, and closes one that is open to everybody. What a person opened to a group, and to nobody else, stays so:
 * agents that run as another user need it.
 */
export function secureOwnFolder({ ownDir }: Room): void {
  mkdirSync(ownDir, { recursive: true, mode: OURS_ALONE });
  if ((statSync(ownDir).mode & OTHERS) === 0) return;
  try {
    chmodSync(ownDir, OURS_ALONE);
  } catch (error) {
    // Another user's folder, which it is for that one to close.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error;
  }
}
