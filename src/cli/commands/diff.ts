// `taskroom diff`: the patch as git says it, with colours and through the person's pager on a terminal.
import { spawn, spawnSync } from 'node:child_process';
import type { TaskDiff } from '../../core/review-shapes.ts';
import type { Beside, Call } from '../command.ts';
import { cleanLine, cleanText } from '../lines/display-text.ts';
import type { Color } from '../paint.ts';

export const beside: Beside = {
  async tell(call, output) {
    if (call.json) return false;
    const diff = output as unknown as TaskDiff;
    const { terminal } = call;
    const lines = call.options.flag('stat') ? statLines(diff, call) : patchLines(diff, call);
    const note =
      diff.branch === null ? 'the task has no workspace: no agent of it changed anything' : diff.note;
    if (note !== null) terminal.writeError(`${cleanLine(note)}\n`);
    const text = lines.map((line) => `${line}\n`).join('');
    if (!terminal.outIsTerminal || text === '') terminal.write(text);
    else await page(text, call);
    return true;
  },
};

const COLORS: Readonly<Record<string, Color>> = { '+': 'green', '-': 'red' };

function patchLines({ files }: TaskDiff, { terminal, paint }: Call): string[] {
  // A program gets the bytes of the patch.
  const shown = terminal.outIsTerminal ? cleanText : (line: string) => line;
  return files.flatMap(({ head, hunks }) => [
    ...head.map((line) => paint('bold', shown(line))),
    ...hunks.flatMap(({ header, lines }) => [
      paint('cyan', shown(header)),
      ...lines.map((line) => (COLORS[line[0]!] ? paint(COLORS[line[0]!]!, shown(line)) : shown(line))),
    ]),
  ]);
}

const MOST_SIGNS = 40;

function statLines({ files }: TaskDiff, { paint }: Call): string[] {
  if (files.length === 0) return [];
  const rows = files.map((file) => ({ ...file, name: cleanLine(nameOf(file)) }));
  const width = Math.max(...rows.map(({ name }) => name.length));
  const most = Math.max(MOST_SIGNS, ...rows.map(({ additions, deletions }) => additions + deletions));
  const signs = (count: number) => Math.ceil((count * MOST_SIGNS) / most);
  const lines = rows.map(({ name, binary, additions, deletions }) => {
    const bar = `${paint('green', '+'.repeat(signs(additions)))}${paint('red', '-'.repeat(signs(deletions)))}`;
    const counted = binary ? 'Bin' : String(additions + deletions).padStart(String(most).length);
    return ` ${name.padEnd(width)} | ${counted} ${bar}`.trimEnd();
  });
  const sum = (of: 'additions' | 'deletions') => files.reduce((all, file) => all + file[of], 0);
  const changed = `${files.length} ${files.length === 1 ? 'file' : 'files'} changed`;
  return [...lines, ` ${changed}, ${sum('additions')} insertions(+), ${sum('deletions')} deletions(-)`];
}

const nameOf = ({ path, old_path: old }: TaskDiff['files'][number]) =>
  old === null ? path : `${old} => ${path}`;

/** The pager that git would take, asked where no repository's settings count. */
function pagerOf(env: Call['terminal']['env']): string {
  const asked = spawnSync('git', ['var', 'GIT_PAGER'], { cwd: '/', env, encoding: 'utf8' });
  return asked.status === 0 ? asked.stdout.trim() : (env.GIT_PAGER ?? env.PAGER ?? 'less');
}

async function page(text: string, { terminal }: Call): Promise<void> {
  const pager = pagerOf(terminal.env);
  if (pager === '' || pager === 'cat') return terminal.write(text);
  const env = { LESS: 'FRX', LV: '-c', ...terminal.env };
  const child = spawn('/bin/sh', ['-c', pager], { stdio: ['pipe', 'inherit', 'inherit'], env });
  // The pager has the terminal: Ctrl-C is meant for it.
  const ignore = () => {};
  process.on('SIGINT', ignore);
  const code = await new Promise<number | null>((resolve) => {
    child.on('error', () => resolve(127));
    child.on('close', resolve);
    // Whoever leaves the pager early wants no more.
    child.stdin.on('error', ignore);
    child.stdin.end(text);
  });
  process.removeListener('SIGINT', ignore);
  // The shell did not find it.
  if (code === 127) terminal.write(text);
}
