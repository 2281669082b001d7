// What can be wrong with a room's chores: files that can't be read, and prompts that no agent can take.
import { formatProblem } from '../../core/errors.ts';
import { type ChoresRoom, createChoreFiles } from '../../store/chore-files.ts';

export interface ChoreFaults {
  count: number;
  /** One line each. */
  broken: string[];
  /** Chores whose agent is none of the room's. */
  ownerless: string[];
  /** Entries of chores/ that are no chores. */
  odd: string[];
}

/** @throws RoomError `io` */
export async function findChoreFaults(
  room: ChoresRoom,
  hasAgent: (id: string) => boolean,
): Promise<ChoreFaults> {
  const { chores, invalid, skipped } = await createChoreFiles(room).read();
  const ownerless = [...chores.values()].flatMap(({ chore }) => {
    const owner = chore.mirror === null ? chore.owner : chore.mirror.owner;
    return owner === null || hasAgent(owner)
      ? []
      : [`${chore.path}: owner ${owner} is no agent of this room`];
  });
  return {
    count: chores.size,
    broken: invalid.flatMap(({ problems }) => problems.map(formatProblem)),
    ownerless,
    odd: skipped
      .filter(({ reason }) => reason !== 'editor file' && reason !== 'hidden file')
      .map(({ path, reason }) => `${path}: ${reason}`),
  };
}
