// Edits made together are passed on together, so that a mass edit is seen as one: what has settled waits a little while
// more is to come. Before it is passed on, the disk is asked where there may be more than was heard of: git changed files, or
// this machine is behind.
import type { TaskId } from '../../core/ids.ts';
import type { Effects, Timer } from '../../effects.ts';
import type { GitMarks } from '../../store/write/git-save.ts';
import type { Keep } from '../persistence.ts';

export interface EditBatchOptions {
  effects: Effects;
  git: GitMarks;
  /** Edits that may belong to the same batch still settle. */
  isMoreToCome(): boolean;
  /** How many files wait to be read. */
  unread(): number;
  /** Whether so many files at once are a mass edit. */
  isMass(files: number): boolean;
  /** Compares everything with the disk; what differs is read from then on. */
  hearOfAll(): Promise<void>;
  passOn(ids: TaskId[]): void;
  keep: Keep;
}

export interface EditBatch {
  /** Adds a task whose edits have settled, so many ms later than they should have. */
  add(id: TaskId, lateMs?: number): void;
  /** What was to come may have come: passes on at once when nothing is left to wait for. */
  passOnSoon(): void;
  has(id: TaskId): boolean;
  isEmpty(): boolean;
  close(): void;
}

// However long edits go on elsewhere, what has settled is not held back for longer.
const LONGEST_WAIT_MS = 2_000;
// A slow disk or machine may be long in giving up a branch's files; then it is looked at again and again.
const LONGEST_FLOOD_MS = 10 * 60_000;
const LOOK_AGAIN_MS = 250;
// A timer that goes off so late tells that events may be on their way, too.
const BEHIND_MS = 50;

export function createEditBatch(options: EditBatchOptions): EditBatch {
  const { effects, git, isMoreToCome, unread, isMass, hearOfAll, passOn, keep } = options;
  let ids: TaskId[] = [];
  let since = 0;
  let timer: Timer | null = null;
  let flooded = false;
  let behind = false;
  let hearing = false;

  function passOnSoon(): void {
    timer?.cancel();
    timer = null;
    if (hearing || ids.length === 0) return;
    const waitedMs = effects.monotonicMs() - since;
    const isGitAtWork = git.isAtWork(effects.now());
    if (!isGitAtWork && (git.hasMoved() || behind)) return void hear();
    flooded ||= isGitAtWork || isMass(unread() + 1);
    const isFlooding = flooded && (isGitAtWork || unread() > 0 || isMoreToCome());
    if (isFlooding && waitedMs < LONGEST_FLOOD_MS) {
      timer = effects.setTimer(LOOK_AGAIN_MS, passOnSoon);
      return;
    }
    const waitMs = isMoreToCome() ? Math.max(0, LONGEST_WAIT_MS - waitedMs) : 0;
    if (waitMs === 0) return passOnNow();
    timer = effects.setTimer(waitMs, passOnSoon);
  }

  async function hear(): Promise<void> {
    hearing = true;
    behind = false;
    await hearOfAll();
    hearing = false;
    passOnSoon();
  }

  const passOnNow = keep(() => {
    timer?.cancel();
    timer = null;
    flooded = false;
    const batch = [...ids];
    passOn(batch);
    ids = ids.slice(batch.length);
  });

  return {
    add(id, lateMs = 0) {
      if (ids.length === 0) since = effects.monotonicMs();
      ids.push(id);
      behind ||= lateMs > BEHIND_MS;
      passOnSoon();
    },
    passOnSoon,
    has: (id) => ids.includes(id),
    isEmpty: () => ids.length === 0,
    close() {
      ids = [];
      timer?.cancel();
    },
  };
}
