// Carries out what the person asked for by a key, as the command of the same name does, in a room opened for it alone: the one that
// the screen reads stays a reader.
import type { RoomClient } from '../../app/open-room.ts';
import type { Actor } from '../../tasks/task-room.ts';
import { type Action, SIMPLE_ACTIONS } from '../model/screen-state.ts';

const PERSON: Actor = { kind: 'person' };
const NOBODY = '; nothing runs this room now: taskroom up';
/** @returns what came of it, on one line. @throws RoomError as the operation */
export async function runAction(action: Action, openRoom: () => Promise<RoomClient>): Promise<string> {
  const room = await openRoom();
  try {
    return await callOperation(action, room);
  } finally {
    await room.close();
  }
}

async function callOperation(action: Action, { tasks, here }: RoomClient): Promise<string> {
  const { name } = action;
  switch (action.do) {
    case 'run': {
      const { daemon, after } = await tasks.call('run', { ref: action.ref }, PERSON);
      return `${name}: ${after === null ? 'turn' : 'one more turn after this one'} asked for${daemon ? '' : NOBODY}`;
    }
    case 'priority': {
      const { ref, priority } = action;
      await tasks.call('set', { ref, priority }, PERSON);
      return `${name} is of ${priority} priority`;
    }
    case 'comment':
      await tasks.call('comment', { ref: action.ref, text: action.text }, PERSON);
      return `the comment stands in ${name}`;
    case 'new': {
      const { path } = await tasks.call('create', { name }, PERSON);
      return `${path} is written${here?.standing().holder === null ? NOBODY : ''}`;
    }
    case 'answer': {
      const { ref, text, question } = action;
      await tasks.call('answer', { ref, text, question }, PERSON);
      return `${name} is answered`;
    }
    case 'chore':
      return `${name}: run asked for${(await tasks.call('runChore', { name }, PERSON)).daemon ? '' : NOBODY}`;
    case 'release':
      return `${(await tasks.call('release', {}, PERSON)).released} released`;
    default: {
      const [operation, said] = SIMPLE_ACTIONS[action.do];
      const input = action.do === 'kill' ? { turn: action.ref } : { ref: action.ref };
      await tasks.call(
        operation,
        { ...input, ...(action.do === 'todo' && { status: 'todo' }) } as never,
        PERSON,
      );
      return `${name} ${said}`;
    }
  }
}
