// What a case of the operations suite is, and the room that each begins in.
import type { InputOf, OperationName, OutputOf } from '../../../src/operations/client.ts';
import type { Actor } from '../../../src/tasks/task-room.ts';
import type { TestRoom } from '../../tasks/test-room.ts';

/** Calls an operation as the actor of the case. */
export type Call = <Name extends OperationName>(name: Name, input: InputOf<Name>) => Promise<OutputOf<Name>>;

/** Calls operations and answers with what came of them; a driver that lacks one leaves the case out. */
export type Case = (call: Call, actor: Actor) => Promise<unknown>;

/** What every case begins with; a driver adds a running turn of task `abc12345` where an agent asks. */
export function seedRoom(room: TestRoom): void {
  room.save(
    'One.md',
    '---\nid: abc12345\nstatus: doing\nlabels: [web]\n---\nDo it.\n\n## Steps\n- [ ] First\n',
  );
  room.save('Part.md', '---\nid: part1234\nstatus: todo\nparent: abc12345\n---\nA part.\n');
  room.save('Other.md', '---\nid: other123\nstatus: todo\nblocked_by: [One]\n---\nAnother.\n');
  room.save('Bad.md', '---\nstatus: nope\n---\n');
}

/** Ids of the seed; all others were made. */
export const SEED_IDS = ['abc12345', 'part1234', 'other123'];
