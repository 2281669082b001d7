// The spool of a turn: requests are files that come by rename, are taken by rename, and get an answer by rename before
// they are removed. So a request is on disk until its answer is, and each is carried out in order, whoever dies when.
import { type FSWatcher, watch } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { RoomError } from '../../core/errors.ts';
import type { Timer } from '../../effects.ts';
import { BRIDGE_FILES } from '../../remote/wire.ts';
import type { RequestLine } from './request-line.ts';
import { type Answering, answerOne } from './spool-answer.ts';
import { type AnswerFile, exists, forgetOld, requestsIn, takeRequests, unlessAbsent } from './spool-files.ts';

export interface SpoolOptions extends Answering {
  line: RequestLine;
}

export interface Spool {
  /** Takes up what a runtime before this one left, and watches from now on. */
  start(): Promise<void>;
  /**
   * Lets no more requests in; resolves when all that came before are answered.
   * @throws RoomError `io` when it was closed before
   */
  drain(): Promise<void>;
  /** Stops, and resolves when no file is moved any more; what is not answered yet stays where it is. */
  close(): Promise<void>;
}

/** What `requests` is called once nothing more may come in. */
const CLOSING = 'closing';
/** Watching is a hint; this is the truth, and well below what a caller waits to be taken. */
const LOOK_EVERY_MS = 300;
/** Taken up ahead of being carried out; the others wait where they are. */
const MAX_TAKEN = 2_000;

export function createSpool(options: SpoolOptions): Spool {
  const { dir, effects } = options;
  const closed = new AbortController();
  const work = createSpoolWork(options, closed.signal);
  let watcher: FSWatcher | null = null;
  let timer: Timer | null = null;

  function lookAgainLater(): void {
    if (closed.signal.aborted) return;
    timer = effects.setTimer(LOOK_EVERY_MS, () => void work.look().finally(lookAgainLater), true);
  }

  return {
    async start() {
      await work.takeUp();
      try {
        watcher = watch(join(dir, BRIDGE_FILES.requests), { persistent: false }, () => void work.look());
        watcher.on('error', () => watcher?.close());
      } catch {
        // The folder went with its turn, or nothing can be watched here: it is looked at now and then.
      }
      // What came between the first look and the watch.
      void work.look();
      lookAgainLater();
    },
    async drain() {
      watcher?.close();
      await work.cutOff();
      while (await work.isBusy())
        if (closed.signal.aborted)
          throw new RoomError('io', 'what the agent reported is not all written yet');
      await rm(join(dir, CLOSING), { recursive: true, force: true });
    },
    async close() {
      closed.abort();
      watcher?.close();
      timer?.cancel();
      await work.settled();
    },
  };
}

interface SpoolWork {
  /** The first look. */
  takeUp(): Promise<void>;
  /** Takes up what was taken and not answered, then what came; carrying it out goes on by itself. */
  look(): Promise<void>;
  /** One rename decides for every request whether it came in time. */
  cutOff(): Promise<void>;
  /** Takes what there is and waits for its answers; false when there was nothing any more. */
  isBusy(): Promise<boolean>;
  /** Resolves when the look under way is over. */
  settled(): Promise<void>;
}

function createSpoolWork(options: SpoolOptions, closed: AbortSignal): SpoolWork {
  const { dir, effects, line, onTrouble } = options;
  const queue: string[] = [];
  const answered: AnswerFile[] = [];
  let source: string = BRIDGE_FILES.requests;
  let looking: Promise<void> = Promise.resolve();
  let isAsked = false;
  let carrying: Promise<void> | null = null;

  async function take(): Promise<void> {
    isAsked = false;
    if (closed.aborted) return;
    try {
      // What another runtime took last, just before it ended, is found here.
      const left = await requestsIn(join(dir, BRIDGE_FILES.taken));
      queue.push(...left.filter((name) => !queue.includes(name)));
      queue.push(...(await takeRequests(dir, source, MAX_TAKEN - queue.length, closed)));
    } catch (error) {
      onTrouble(error);
    }
    if (carrying === null && queue.length > 0) carrying = carryOn();
  }

  async function carryOn(): Promise<void> {
    for (let name = queue[0]; name !== undefined && !closed.aborted; name = queue[0]) {
      const next = name;
      await line.add(() => answerOne(options, next, closed, answered));
      queue.shift();
      await forgetOld(dir, answered, effects.now()).catch(onTrouble);
    }
    carrying = null;
    void look();
  }

  /** One look at a time; those asked for meanwhile are one more. */
  function look(): Promise<void> {
    if (!isAsked) {
      isAsked = true;
      looking = looking.then(take);
    }
    return looking;
  }

  return {
    look,
    settled: () => looking,
    async takeUp() {
      if (!(await exists(join(dir, source)))) source = CLOSING;
      await look();
    },
    async cutOff() {
      await looking;
      if (source === CLOSING) return;
      await rename(join(dir, source), join(dir, CLOSING)).catch(unlessAbsent);
      source = CLOSING;
    },
    async isBusy() {
      await look();
      if (carrying === null) return false;
      await carrying;
      return true;
    },
  };
}
