// One document of artifacts/ from disk: found by a word for it, read at rest.
import { suggest } from '../../core/document/suggest.ts';
import { type Problem, RoomError } from '../../core/errors.ts';
import { type Artifact, type ArtifactReading, isPlan, readArtifact } from '../../core/task/artifact.ts';
import { artifactNameOf } from '../../core/task/task-name.ts';
import { ARTIFACTS, scanArtifacts } from '../../store/artifacts.ts';
import type { FileStamp } from '../../store/ledger/tasks/files.ts';
import { readStable } from '../../store/write/stable-read.ts';
import type { TaskRoom } from '../task-room.ts';

export interface ArtifactFile {
  stamp: FileStamp;
  /** '' where the bytes are no text. */
  text: string;
  /** Our own writer wrote it. */
  isOwn: boolean;
  reading: ArtifactReading;
}

export function pathOfArtifact(name: string): string {
  return `${ARTIFACTS}/${name}.md`;
}

/** @returns null when nothing is there, `unstable` when it kept changing. @throws RoomError `io` */
export async function readArtifactFile(
  deps: TaskRoom,
  name: string,
): Promise<ArtifactFile | null | 'unstable'> {
  const path = pathOfArtifact(name);
  const isOurs = (hash: string) => deps.writer.isOurs(path, hash);
  const read = await readStable(deps.room.at(path), { effects: deps.effects, isOurs, shownAs: path });
  if (read === null) return null;
  if (read.unstable) return 'unstable';
  const isOwn = isOurs(read.hash);
  if (!read.ok) return { stamp: read.stat, text: '', isOwn, reading: { ok: false, problems: read.problems } };
  return { stamp: read.stat, text: read.text, isOwn, reading: readArtifact(path, read.text) };
}

/**
 * The plan that a word means.
 * @throws RoomError `not_found`, `invalid_file`, `conflict` while it is being written, `bad_input` for another document
 */
export async function findPlan(deps: TaskRoom, word: string): Promise<{ artifact: Artifact; text: string }> {
  const name = nameOfWord(deps, word);
  const file = await readArtifactFile(deps, name);
  if (file === null) throw new RoomError('not_found', `${pathOfArtifact(name)} is gone`);
  if (file === 'unstable')
    throw new RoomError('conflict', `${pathOfArtifact(name)} keeps changing`, { retryAfterMs: 2_000 });
  if (!file.reading.ok) throw invalid(name, file.reading.problems);
  const { artifact } = file.reading;
  if (!isPlan(artifact))
    throw new RoomError('bad_input', `${artifact.path} is no plan`, {
      hint: 'a plan says type: plan in its front matter',
    });
  return { artifact, text: file.text };
}

function invalid(name: string, problems: Problem[]): RoomError {
  return new RoomError('invalid_file', `${pathOfArtifact(name)} can't be read`, {
    problems,
    hint: 'mend the file in an editor, then try again',
  });
}

/** @throws RoomError `not_found` with the nearest name */
function nameOfWord({ room }: TaskRoom, word: string): string {
  const { names } = scanArtifacts(room, new Map());
  const wanted = artifactNameOf(word);
  const folded = wanted.toLowerCase();
  const alike = names.filter((name) => name.toLowerCase() === folded);
  const found = names.find((name) => name === wanted) ?? (alike.length === 1 ? alike[0] : undefined);
  if (found !== undefined) return found;
  const near = suggest(wanted, names);
  throw new RoomError('not_found', `no plan ${JSON.stringify(word)}`, {
    hint: near === null ? 'see: taskroom plan' : `did you mean ${JSON.stringify(near)}?`,
  });
}
