// Many processes writing comments to one task while an editor saves it, and what must be true in the end.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { parseDocument } from '../../src/core/document/document.ts';
import { readComments } from '../../src/core/task/body/entries.ts';
import type { Save } from './editor.ts';

export interface StormOptions {
  /** Absolute path of the task's file. */
  file: string;
  /** One list of jobs a worker; each job is the arguments of one `node` process, run one after the other. */
  workers: string[][][];
  seed: number;
  /** What the editor waits between two saves, on average. */
  editorPauseMs?: number;
  /** Called with the file's text when a job ended. */
  onText?: (text: string) => void;
}

/** Runs one program to its end; rejects unless it exits 0. */
export async function runNode(
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<{ code: number | null; signal: string | null; stderr: string }> {
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, ...env },
  });
  const [[code, signal], stderr] = await Promise.all([once(child, 'close'), text(child.stderr)]);
  return { code, signal, stderr };
}

/** Runs the workers beside an editor; returns what the editor saved. Throws when a job fails. */
export async function runStorm({
  file,
  workers,
  seed,
  editorPauseMs = 12,
  onText,
}: StormOptions): Promise<Save[]> {
  const program = fileURLToPath(new URL('editor.ts', import.meta.url));
  const editor = spawn(process.execPath, [program, file, String(seed), String(editorPauseMs)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let output = '';
  editor.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const ended = new Promise<number | null>((resolve) => editor.on('close', resolve));
  try {
    await new Promise((resolve) => editor.stdout.once('data', resolve));
    await Promise.all(
      workers.map(async (jobs) => {
        for (const job of jobs) {
          const { code, stderr } = await runNode(job);
          if (code !== 0) throw new Error(`${job.join(' ')} ended with ${code}: ${stderr}`);
          onText?.(readFileSync(file, 'utf8'));
        }
      }),
    );
  } finally {
    editor.stdin.end();
  }
  const code = await ended;
  if (code !== 0) throw new Error(`the editor ended with ${code}`);
  return output
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Save);
}

export interface Verdict {
  /** Comments that stand not exactly once. */
  comments: { text: string; times: number }[];
  /** Typed lines that are gone though their save met no window. */
  lost: Save[];
  /** Typed lines that are gone and whose save met one. */
  inWindow: Save[];
  readable: boolean;
}

/** Judges the text at the end. `comments` are the texts that were written. */
export function judge(
  text: string,
  comments: readonly string[],
  saves: readonly Save[],
  windows: readonly { startMs: number; endMs: number }[],
): Verdict {
  const parsed = parseDocument(text, 'task');
  const body = parsed.ok ? text.slice(parsed.doc.bodyStart) : text;
  const times = new Map<string, number>();
  for (const comment of readComments(body)) times.set(comment.text, (times.get(comment.text) ?? 0) + 1);
  const lines = new Set(text.split('\n'));
  const gone = saves.filter((save) => !lines.has(save.line));
  const met = (save: Save) =>
    windows.some((window) => window.startMs <= save.endMs && window.endMs + 1 >= save.startMs);
  return {
    comments: comments
      .filter((one) => times.get(one) !== 1)
      .map((one) => ({ text: one, times: times.get(one) ?? 0 })),
    lost: gone.filter((save) => !met(save)),
    inWindow: gone.filter(met),
    readable: parsed.ok,
  };
}

/** A quantile of sorted numbers. */
export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
