// `taskroom settle`: shows the conflicts of a mirrored task with both texts, and settles one.

import type { ConflictJson, MirrorJson } from '../../../../core/chore-shapes.ts';
import { isRoomError, RoomError } from '../../../../core/errors.ts';
import type { InputOf } from '../../../../operations/client.ts';
import type { RoomClient } from '../../../../runtime.ts';
import type { Call, CommandModule } from '../../command.ts';
import { renderConflict } from '../../lines/conflict-lines.ts';
import { cleanLine } from '../../lines/display-text.ts';
import { TASK } from '../../parse/task-argument.ts';

export const command: CommandModule = {
  about:
    'Shows both texts of each conflict between a task and its issue, and settles one: keeps what stands, takes the text that lost, or one of your own. The field then goes upstream as every change does.',
  arguments: [TASK],
  options: [
    { flags: '--conflict <id>', about: 'which one; may be left out where there is one' },
    { flags: '--field <name>', about: 'which one, by its field' },
    { flags: '--keep', about: 'it stays as it stands' },
    { flags: '--take', about: 'the text that lost is taken after all' },
    { flags: '--text <text>', about: 'a text of your own; - reads it from standard input' },
    {
      flags: '--seen <version>',
      about: 'the version you looked at: refused where either text is another by now',
    },
  ],
  examples: [
    ['taskroom settle 3npr', 'both texts of each conflict'],
    ['taskroom settle 3npr --field title --take', 'your title after all'],
    ['taskroom settle 3npr --field body --text - < merged.md', 'in words of both'],
  ],
  notes:
    'With --json: {"conflicts":[{"id","task","field","at","lost_side","standing","lost","kept","version"}]}; with a choice the one that was settled, with "take" and "changed".',
  async run(call) {
    const runtime = await call.openRoom();
    const mirror = await mirrorOf(runtime, call.words[0] ?? '');
    const wish = await wishOf(call);
    const open = mirror?.conflicts ?? [];
    if (mirror === null || wish === null) return void show(call, mirror, open);
    const conflict = choose(call, open, mirror);
    try {
      const version = call.options.text('seen') ?? conflict.version;
      const input = { ref: mirror.task, ...wish, conflict: conflict.id, version };
      const settled = await runtime.tasks.call('settle', input, runtime.caller);
      if (call.json) call.terminal.write(`${JSON.stringify(settled)}\n`);
      else tell(call, mirror, settled.take);
    } catch (error) {
      if (isRoomError(error, 'conflict') && !call.json) {
        const now = await mirrorOf(runtime, mirror.task);
        show(call, mirror, now?.conflicts ?? []);
      }
      throw error;
    }
    return undefined;
  },
};

async function mirrorOf({ tasks, caller }: RoomClient, ref: string): Promise<MirrorJson | null> {
  if (ref === '')
    throw new RoomError('bad_input', 'a task is needed', { hint: 'see: taskroom settle --help' });
  const { id } = await tasks.call('show', { ref }, caller, true);
  const { mirrors } = await tasks.call('listMirrors', {}, caller);
  return mirrors.find(({ task }) => task === id) ?? null;
}

/** Null where nothing was chosen. */
async function wishOf({ options, terminal }: Call): Promise<Pick<InputOf<'settle'>, 'take' | 'text'> | null> {
  const text = options.text('text');
  const [keep, take] = [options.flag('keep'), options.flag('take')];
  if ([keep, take, text !== null].filter(Boolean).length > 1)
    throw new RoomError('bad_input', 'a conflict is settled in one way', {
      hint: 'give one of --keep, --take and --text',
    });
  if (keep) return { take: 'standing' };
  if (take) return { take: 'lost' };
  if (text === null) return null;
  return { take: 'own', text: text === '-' ? (await terminal.readInput()).replace(/\n$/, '') : text };
}

function choose(
  { options }: Call,
  open: readonly ConflictJson[],
  { task }: MirrorJson,
): Pick<ConflictJson, 'id' | 'version'> {
  const [id, field] = [options.text('conflict'), options.text('field')?.replaceAll('-', '_') ?? null];
  const fitting = open.filter(
    (one) => (id === null || one.id === id) && (field === null || one.field === field),
  );
  const [first] = fitting;
  // One that was settled meanwhile is known by its id alone.
  if (first === undefined && id !== null) return { id, version: '' };
  if (first === undefined)
    throw new RoomError('not_found', `${task} has no such conflict`, {
      hint: `see: taskroom settle ${task}`,
    });
  if (fitting.length > 1)
    throw new RoomError('ambiguous', `${task} has ${fitting.length} conflicts that fit`, {
      hint: `name one with --conflict: ${fitting.map((one) => `${one.id} (${one.field})`).join(', ')}`,
    });
  return first;
}

function show(
  { json, terminal, paint, effects }: Call,
  mirror: MirrorJson | null,
  open: readonly ConflictJson[],
): void {
  if (json) return terminal.write(`${JSON.stringify({ conflicts: open })}\n`);
  if (mirror === null || open.length === 0)
    return terminal.write(`${paint('green', '✓')} nothing to settle\n`);
  terminal.write(
    `${paint('bold', cleanLine(mirror.name ?? mirror.task))} ${paint('dim', cleanLine(mirror.ref))}\n`,
  );
  for (const conflict of open)
    terminal.write(renderConflict(conflict, mirror.provider, paint, effects.now()));
}

const SAID: Readonly<Record<InputOf<'settle'>['take'], string>> = {
  standing: 'stays as it stands',
  lost: 'says what had lost',
  own: 'says it in your words',
};

function tell({ terminal, paint }: Call, { task }: MirrorJson, take: InputOf<'settle'>['take']): void {
  terminal.write(`${paint('green', '✓')} ${task} ${SAID[take]}\n`);
}
