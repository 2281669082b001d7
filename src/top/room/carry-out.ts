// What the person asks for by a key, carried out as the command of the same name would, by a room opened for it alone: the one
// that the screen reads stays a reader.
import type { RoomClient } from '../../app/open-room.ts';
import type { Actor } from '../../tasks/task-room.ts';
import type { Ask } from '../model/screen-state.ts';

const PERSON: Actor = { kind: 'person' };

export type Deed = Extract<
  Ask,
  { do: 'run' | 'pause' | 'resume' | 'cancel' | 'kill' | 'new' | 'answer' | 'chore' | 'release' }
>;

/** @returns what came of it, on one line. @throws RoomError as the operation */
export async function carryOut(deed: Deed, openRoom: () => Promise<RoomClient>): Promise<string> {
  const runtime = await openRoom();
  try {
    return await carry(deed, runtime);
  } finally {
    await runtime.close();
  }
}

async function carry(deed: Deed, { tasks, here }: RoomClient): Promise<string> {
  const { name } = deed;
  switch (deed.do) {
    case 'run': {
      const { daemon, after } = await tasks.call('run', { ref: deed.ref }, PERSON);
      return `${name}: ${after === null ? 'turn' : 'one more turn after this one'} asked for${daemon ? '' : NOBODY}`;
    }
    case 'pause':
    case 'resume':
    case 'cancel':
      await tasks.call(deed.do, { ref: deed.ref }, PERSON);
      return `${name} is ${DONE[deed.do]}`;
    case 'kill':
      await tasks.call('kill', { turn: deed.ref }, PERSON);
      return `the turn of ${name} is killed`;
    case 'new': {
      const { path } = await tasks.call('create', { name }, PERSON);
      return `${path} is written${here?.standing().holder === null ? NOBODY : ''}`;
    }
    case 'answer':
      await tasks.call('answer', { ref: deed.ref, text: deed.text, question: deed.question }, PERSON);
      return `${name} is answered`;
    case 'chore': {
      const { daemon } = await tasks.call('runChore', { name }, PERSON);
      return `${name}: run asked for${daemon ? '' : NOBODY}`;
    }
    case 'release': {
      const { released } = await tasks.call('release', {}, PERSON);
      return `${released} released`;
    }
  }
}

const DONE = { pause: 'paused', resume: 'resumed', cancel: 'canceled' } as const;
const NOBODY = '; nothing runs this room now: taskroom up';
