import { settlement, settleWish } from '../../core/chore-shapes.ts';
import { isRoomError, RoomError } from '../../core/errors.ts';
import type { RoomHandle } from '../../tasks/task-room.ts';
import { type CommandForm, operation, optional, ref, text } from '../operation.ts';
import { conflictsOf } from './list-conflicts.ts';

const SAID = {
  standing: 'stays as it stands',
  lost: 'says what had lost',
  own: 'says it in your words',
} as const;

const form: CommandForm<{ task: string; take: keyof typeof SAID }> = {
  command: 'mirror settle',
  words: ['ref'],
  stdin: ['text'],
  meant: { version: '*' },
  flags: { conflict: '--conflict <id>', field: '--field <name>', version: '--seen <version>', text: null },
  said: ({ task, take }) => [`${task} ${SAID[take]}`],
};

export const settle = operation({
  summary: 'settle what both sides say differently',
  about:
    'Settles a conflict of a mirrored task: keeps what stands, takes the text that lost, or a text of your own. The field goes upstream as every local change does. The same again changes nothing. Where either text is another by now it is refused, with `current`: the conflict as it stands, null when it was settled otherwise.',
  needs: 'person',
  cli: [
    { ...form, flag: ['keep', 'it stays as it stands'], given: { take: 'standing' } },
    { ...form, flag: ['take', 'the text that lost is taken after all'], given: { take: 'lost' } },
    { ...form, flag: ['text'], flags: { ...form.flags, text: '--text <text>' }, given: { take: 'own' } },
  ],
  input: () => ({
    ref: ref(),
    ...settleWish(),
    conflict: optional(text(), 'its id; may be left out where there is one'),
    field: optional(text(), 'which one, by its field'),
    version: text(
      'of the conflict as you looked at it: refused where either text is another by now; * for any',
    ),
  }),
  output: settlement,
  async run(on, { ref: task, conflict, field, version, ...wish }) {
    const mirrors = await on.ports.mirrors!();
    const chosen = await chooseConflict(on, task, conflict, field);
    try {
      return await mirrors.settle(task, { ...chosen, ...(version === '*' ? {} : { version }), ...wish });
    } catch (error) {
      if (!isRoomError(error, 'conflict')) throw error;
      const now = mirrors.list().flatMap(({ conflicts }) => conflicts);
      const current = now.find(({ id }) => id === chosen.conflict) ?? null;
      const { message, hint } = error;
      throw new RoomError('conflict', message, { cause: error, ...(hint && { hint }), more: { current } });
    }
  },
});

/** @throws RoomError `not_found`, `ambiguous` */
async function chooseConflict(on: RoomHandle, task: string, id?: string, field?: string) {
  const { task: own, conflicts } = await conflictsOf(on, task);
  const fitting = conflicts.filter(
    (one) => (id ?? one.id) === one.id && (field ?? one.field).replaceAll('-', '_') === one.field,
  );
  const [first] = fitting;
  // A conflict that was settled meanwhile has only its id.
  if (first === undefined && id !== undefined) return { conflict: id, version: '' };
  if (first === undefined)
    throw new RoomError('not_found', `${own} has no such conflict`, `see: taskroom mirror settle ${own}`);
  if (fitting.length === 1) return { conflict: first.id, version: first.version };
  const hint = `name one with --conflict: ${fitting.map((one) => `${one.id} (${one.field})`).join(', ')}`;
  throw new RoomError('ambiguous', `${own} has ${fitting.length} conflicts that fit`, hint);
}
