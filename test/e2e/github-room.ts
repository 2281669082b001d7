// A room whose chore `web` mirrors the repository `acme/web` of a GitHub-shaped server, where alice is a member.
import { openIssue } from '../support/github-server/people.ts';
import { startGithubServer } from '../support/github-server/server.ts';
import { addRepo } from '../support/github-server/state.ts';
import { createRoom } from './room.ts';

/** No `gh` that is signed in may step in for a missing token. */
export const NO_CREDENTIALS = {
  ...{ GITHUB_TOKEN: '', GH_TOKEN: '', GITHUB_APP_ID: '', GH_CONFIG_DIR: '/nonexistent' },
};
export const CREDENTIALS = { ...NO_CREDENTIALS, GITHUB_TOKEN: 'good-token' };

/** @param isMirrored whether the chore is there from the start */
export async function createGithubRoom(isMirrored = true) {
  const [room, server] = await Promise.all([createRoom(), startGithubServer()]);
  const repo = addRepo(server.state, 'acme/web');
  repo.people.set('alice', 'MEMBER');
  const rig = {
    ...{ room, server, repo },
    open: (words: Parameters<typeof openIssue>[2]) => openIssue(server.state, repo, words),
    /** Writes the chore with these lines under `mirror:`. */
    chore(...lines: string[]): void {
      const mirror = ['provider: github', 'source: acme/web', `url: ${server.url}`, ...lines];
      room.save('chores/web.md', `---\nschedule: off\nmirror:\n  ${mirror.join('\n  ')}\n---\n`);
    },
    async close(): Promise<void> {
      await room.close();
      await server.close();
    },
  };
  if (isMirrored) rig.chore();
  return rig;
}
