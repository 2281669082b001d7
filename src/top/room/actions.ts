// Carries out what the person asked for by a key, as the command of the same name does, in a room opened for it alone: the one that
// the screen reads stays a reader.
import type { RoomClient } from '../../app/open-room.ts';
import type { Actor } from '../../tasks/task-room.ts';
import type { Action } from '../model/screen-state.ts';

const PERSON: Actor = { kind: 'person' };
const NOBODY = '; nothing runs this room now: taskroom up';
const DONE = { pause: 'paused', resume: 'resumed', cancel: 'canceled' };

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
    case 'pause':
    case 'resume':
    case 'cancel':
      await tasks.call(action.do, { ref: action.ref }, PERSON);
      return `${name} is ${DONE[action.do]}`;
    case 'kill':
      await tasks.call('kill', { turn: action.ref }, PERSON);
      return `the turn of ${name} is killed`;
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
  }
}
