// The bench's tracker: a child process that serves issues, and forgets nothing of what it was asked.
import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import type { Answered, Asked } from './tracker-process.ts';

export interface Tracker {
  /** Fills a repository of that name. @returns how many comments its issues have */
  fill(repo: string, issues: number): Promise<number>;
  /** Somebody upstream edits the body of an issue. */
  edit(repo: string, number: number): Promise<void>;
  /** Requests since this was asked last. */
  served(): Promise<Answered['served']>;
  readonly url: string;
  stop(): void;
}

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

export async function startTracker(): Promise<Tracker> {
  const child = fork(join(import.meta.dirname, 'tracker-process.ts'));
  running.add(child);
  const heard = (): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const over = (code: number | null) => reject(new Error(`the tracker ended (${code})`));
      child.once('exit', over);
      child.once('message', (message) => {
        child.off('exit', over);
        resolve(message);
      });
    });
  const ask = async (asked: Asked): Promise<Answered> => {
    const answered = heard();
    child.send(asked);
    return (await answered) as Answered;
  };
  await heard();
  const { url } = await ask({ what: 'served' });
  return {
    url,
    fill: async (repo, issues) => (await ask({ what: 'fill', repo, issues })).comments,
    edit: async (repo, number) => void (await ask({ what: 'edit', repo, number })),
    served: async () => (await ask({ what: 'served' })).served,
    stop() {
      running.delete(child);
      child.kill('SIGKILL');
    },
  };
}
