// The room is guarded by its folders themselves: another spelling of their names leads to the same folder.
import { execFileSync } from 'node:child_process';
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createWorkplace } from '../../../src/agents/model/workplace.ts';
import { tempFolder } from '../../support/temp-folder.ts';

let project: string;
let room: string;

beforeEach(() => {
  project = tempFolder('workplace');
  room = join(project, 'room');
  for (const folder of ['room/agents', 'room/.taskroom', 'room/tasks', 'src'])
    mkdirSync(join(project, folder), { recursive: true });
  writeFileSync(join(room, '.taskroom/token'), 'secret');
});

describe('a room inside the folder of a model', () => {
  test("is neither written nor, in what is the runtime's, read", () => {
    const place = createWorkplace(project, room);
    expect(place.toWrite('src/x.ts')).toBe(join(project, 'src/x.ts'));
    for (const path of [
      'room/agents/a/agent.json',
      'room/room.yaml',
      'room/new/deep',
      'room/providers/x.mjs',
      'room',
    ])
      expect(() => place.toWrite(path), path).toThrow('belongs to the room');
    expect(() => place.toRead('room/.taskroom/token')).toThrow("is the runtime's own");
  });

  const isBlind = (() => {
    const dir = tempFolder('spelling');
    mkdirSync(join(dir, 'Room'));
    try {
      realpathSync(join(dir, 'rOOM'));
      return true;
    } catch {
      return false;
    }
  })();

  test.skipIf(!isBlind)('under names of another case', () => {
    const place = createWorkplace(project, room);
    expect(() => place.toWrite('ROOM/agents/a')).toThrow('belongs to the room');
    expect(() => place.toRead('rOOm/.TASKROOM/token')).toThrow("is the runtime's own");
  });

  describe.skipIf(!mayMount())('under another name', () => {
    afterEach(() => {
      execFileSync('umount', [join(project, 'again')]);
    });

    test('of a second mount', () => {
      mkdirSync(join(project, 'again'));
      execFileSync('mount', ['--bind', room, join(project, 'again')]);
      const place = createWorkplace(project, room);
      expect(() => place.toWrite('again/agents/a/agent.json')).toThrow('belongs to the room');
      expect(() => place.toRead('again/.taskroom/token')).toThrow("is the runtime's own");
    });
  });
});

function mayMount(): boolean {
  const dir = tempFolder('mount');
  mkdirSync(join(dir, 'a'));
  mkdirSync(join(dir, 'b'));
  try {
    execFileSync('mount', ['--bind', join(dir, 'a'), join(dir, 'b')], { stdio: 'ignore' });
    execFileSync('umount', [join(dir, 'b')]);
    return true;
  } catch {
    return false;
  }
}
