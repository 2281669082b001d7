// The project that a new room's coding agent works in: what is written into its file, so that its folder never holds the room
// unguarded.
import { spawnSync } from 'node:child_process';
import { realpathSync, statSync } from 'node:fs';
import { isAbsolute, join, relative, resolve } from 'node:path';
import type { PresetName } from '../core/config/agent-config.ts';
import { isKeptOut } from '../core/config/room-fence.ts';
import { RoomError } from '../core/errors.ts';

/** Keys of the agent's file. */
export type ProjectKeys = { cwd?: string; workspace?: 'worktree' };

/** Top of the git repository that a folder lies in; null where it lies in none, or git is not there. */
export function repositoryOf(dir: string): string | null {
  const { status, stdout } = git(dir, 'rev-parse', '--show-toplevel');
  return status === 0 ? stdout.trim() : null;
}

/**
 * @param room absolute path of the room, there or not
 * @param project absolute path
 * @throws RoomError `bad_input` for a project that is no folder, or one around the room that its agent could not be kept out of
 */
export function keysOfProject(room: string, project: string, preset: PresetName): ProjectKeys {
  if (!statSync(project, { throwIfNoEntry: false })?.isDirectory())
    throw new RoomError('bad_input', `the project ${project} is no folder`, {
      hint: 'give the folder that the agent is to work in',
    });
  const top = realpathSync(project);
  const cwd = relative(room, top) || '.';
  const isAround = !isAbsolute(cwd) && /^(\.|\.\.)(\/\.\.)*$/.test(cwd);
  if (!isAround) return { cwd };
  if (git(top, 'rev-parse', '--verify', '--quiet', 'HEAD').status === 0)
    return { cwd, workspace: 'worktree' };
  if (cwd !== '.' && isKeptOut({ preset, runner: 'command', permissions: 'edit' })) return { cwd };
  throw new RoomError(
    'bad_input',
    `the project ${project} holds the room, and ${preset} can't be kept out of it`,
    {
      hint: 'make the room elsewhere, or make a first commit there: its agent then works in a worktree for each task',
    },
  );
}

/** As `realpath`, of a folder that may not be there yet. */
export function placeOfRoom(dir: string): string {
  for (
    let at = resolve(dir), rest = '';
    ;
    rest = join(at.slice(at.lastIndexOf('/') + 1), rest), at = resolve(at, '..')
  ) {
    if (statSync(at, { throwIfNoEntry: false })) return join(realpathSync(at), rest);
  }
}

/** Asks only where things are, for which git runs nothing that a repository names. */
function git(dir: string, command: 'rev-parse', ...args: string[]) {
  return spawnSync('git', ['-C', dir, command, ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}
