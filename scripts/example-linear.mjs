// The example room's Linear: the strict server that the tests use too, with one team and its issue, on the real clock.
import {
  addTeam,
  addUser,
  byId,
  createWorkspace,
  identifierOf,
} from '../test/support/linear-server/records.ts';
import { createLinearServer } from '../test/support/linear-server/server.ts';

/**
 * Starts it on a free port of this machine.
 * @param key the API key it knows
 * @param report the description of an issue that leaves nothing to ask
 */
export async function startLinear(key, report) {
  const workspace = createWorkspace(Date.now());
  workspace.keys.set(key, addUser(workspace, 'Sam', { admin: true }).id);
  addTeam(workspace, 'APP');
  const server = await createLinearServer(workspace, Date.now);
  // Addresses of issues lead to this machine, not to somebody's workspace at Linear.
  workspace.organization.site = new URL('/acme', server.url).href;
  server.person.addIssue({
    team: 'APP',
    title: 'Export drops the last row',
    description: report.replace('login', 'export'),
    labels: ['Bug'],
  });

  /** Its issues as they are now, oldest first. */
  async function issues() {
    return workspace.issues.map((issue) => ({
      ref: identifierOf(workspace, issue),
      title: issue.title,
      state: byId(workspace.states, issue.stateId).name,
      comments: workspace.comments.filter(({ issueId }) => issueId === issue.id).map(({ body }) => body),
    }));
  }
  return { url: server.url, issues, close: server.close };
}
