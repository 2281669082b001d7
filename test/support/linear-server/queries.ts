// The root fields that read.
import { notFound } from './answer-errors.ts';
import { connect, type PageArguments } from './connections.ts';
import { byId, findIssue } from './records.ts';
import type { Session } from './session.ts';
import { CommentView, IssueView, LabelView, StateView, TeamView, UserView } from './views.ts';

/** Root fields of `Query` for one request. */
export function createQueries(session: Session) {
  const { state } = session;
  return {
    viewer: () => new UserView(session, byId(state.users, session.viewerId)),
    organization: () => state.organization,
    team({ id }: { id: string }) {
      const found = state.teams.find((team) => team.id === id || team.key === id);
      if (!found) throw notFound('Team');
      return new TeamView(session, found);
    },
    teams: (args: PageArguments) =>
      connect(
        state.teams.map((one) => new TeamView(session, one)),
        args,
      ),
    users: (args: PageArguments) =>
      connect(
        state.users.map((one) => new UserView(session, one)),
        args,
      ),
    issue({ id }: { id: string }) {
      const found = findIssue(state, id);
      if (!found) throw notFound('Issue');
      return new IssueView(session, found);
    },
    issues: (args: PageArguments) =>
      connect(
        state.issues.map((one) => new IssueView(session, one)),
        args,
      ),
    comment({ id }: { id?: string }) {
      const found = state.comments.find((one) => one.id === id);
      if (!found) throw notFound('Comment');
      return new CommentView(session, found);
    },
    comments: (args: PageArguments) =>
      connect(
        state.comments.map((one) => new CommentView(session, one)),
        args,
      ),
    issueLabels: (args: PageArguments) =>
      connect(
        state.labels.map((one) => new LabelView(session, one)),
        args,
      ),
    workflowStates: (args: PageArguments) =>
      connect(
        state.states.map((one) => new StateView(session, one)),
        args,
      ),
  };
}
