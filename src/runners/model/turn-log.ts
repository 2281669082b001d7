// What a model's turn tells while it works: on disk first, in one line an event, then to whoever follows the turn.
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentEvent } from '../../core/rules/agent-event.ts';
import { OUTPUT_FILE } from '../process/wrapper.ts';
import type { RunnerEvent } from '../runner.ts';

export type TurnLog = Awaited<ReturnType<typeof openTurnLog>>;

/** @param dir absolute path of the turn's folder */
export async function openTurnLog(dir: string) {
  const file: FileHandle = await open(join(dir, OUTPUT_FILE), 'a');
  const told: RunnerEvent[] = [];
  let bytes = (await file.stat()).size;
  let isClosed = false;
  let wake = () => {};
  let writing: Promise<void> = Promise.resolve();

  function tell(event: RunnerEvent): void {
    // Sizes replace each other: nobody needs all of them.
    const last = told.at(-1);
    if (event.type === 'output' && last?.type === 'output') told.pop();
    told.push(event);
    wake();
  }

  async function write(line: string): Promise<void> {
    await file.appendFile(line);
    bytes += Buffer.byteLength(line);
    tell({ type: 'output', bytes });
  }

  return {
    /** Resolves when it is on disk. */
    say(event: AgentEvent) {
      const line = `${JSON.stringify(event)}\n`;
      writing = writing.then(() => write(line));
      return writing;
    },
    /** To whoever follows the turn alone. */
    tell,
    /** What was told, until it is closed. */
    async *events() {
      for (;;) {
        const next = told.shift();
        if (next !== undefined) yield next;
        else if (isClosed) return;
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    },
    async close() {
      await writing.catch(() => {});
      isClosed = true;
      await file.close();
      wake();
    },
  };
}
