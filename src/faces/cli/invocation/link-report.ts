// What `link`, `unlink` and `publish` share: they are a person's, and answer with the pair.
import { RoomError } from '../../../core/errors.ts';
import { snakeKeys } from '../../../core/snake-keys.ts';
import type { Linked, Runtime } from '../../../runtime.ts';
import type { Call } from '../command.ts';
import { cleanLine } from '../lines/display-text.ts';

/** @throws RoomError `not_allowed` inside a turn: where a task is seen is the person's to say */
export function assertPerson({ caller }: Runtime): void {
  if (caller.kind === 'person') return;
  throw new RoomError('not_allowed', 'an agent can neither link nor publish a task', {
    hint: 'ask the person in a comment',
  });
}

export function tellLinked({ json, terminal, paint }: Call, linked: Linked, said: string): void {
  if (json) terminal.write(`${JSON.stringify(snakeKeys(linked))}\n`);
  else
    terminal.write(
      `${paint('green', '✓')} ${linked.task} ${said} ${cleanLine(linked.ref)}${linked.url === null ? '' : ` ${paint('dim', cleanLine(linked.url))}`}\n`,
    );
}
