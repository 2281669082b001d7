// What blocks an issue, and what it is a part of. A server that has neither answers 404.
import {
  type Answer,
  type Call,
  invalid,
  issueOf,
  needWrite,
  notFound,
  Refused,
  type Routes,
} from './answer.ts';
import { type Keyed, slicePages } from './paging.ts';
import { touch } from './people.ts';
import { issueWithId, type StoredIssue, type StoredRepo } from './state.ts';

type Found = { repo: StoredRepo; issue: StoredIssue };

function needDependencies(call: Call): void {
  if (!call.state.features.dependencies) throw notFound();
}

function needSubIssues(call: Call): void {
  if (!call.state.features.subIssues) throw notFound();
}

function shownIssues(call: Call, found: Found[]): Answer {
  const entries: Keyed<Found>[] = found.map((item) => ({ item, key: 0, id: item.issue.id }));
  const { items, link } = slicePages(entries, call.url);
  const body = items.map(({ repo, issue }) => call.shapes.issue(repo, issue));
  return { status: 200, body, headers: link === null ? {} : { link } };
}

function existing(call: Call, id: unknown): Found {
  const found = typeof id === 'number' ? issueWithId(call.state, id) : null;
  if (!found) throw invalid('issue_id', 'The provided issue does not exist');
  return found;
}

const ISSUE = '/repos/{owner}/{repo}/issues/{issue_number}';

export const RELATION_ROUTES: Routes = {
  [`GET ${ISSUE}/dependencies/blocked_by`]: (call) => {
    needDependencies(call);
    const { issue } = issueOf(call);
    const found = issue.blockedBy.map((id) => issueWithId(call.state, id)).filter((one) => one !== null);
    return shownIssues(call, found);
  },
  [`POST ${ISSUE}/dependencies/blocked_by`]: (call) => {
    needDependencies(call);
    const { repo, issue } = issueOf(call);
    needWrite(call);
    const blocker = existing(call, call.body.issue_id);
    if (blocker.issue === issue) throw invalid('issue_id', 'An issue cannot block itself');
    if (issue.blockedBy.includes(blocker.issue.id)) throw invalid('issue_id', 'has already been taken');
    issue.blockedBy.push(blocker.issue.id);
    touch(call.state, issue);
    return { status: 201, body: call.shapes.issue(repo, issue) };
  },
  [`DELETE ${ISSUE}/dependencies/blocked_by/{issue_id}`]: (call) => {
    needDependencies(call);
    const { repo, issue } = issueOf(call);
    needWrite(call);
    const id = Number(call.parts[3]);
    if (!issue.blockedBy.includes(id)) throw notFound();
    issue.blockedBy = issue.blockedBy.filter((other) => other !== id);
    touch(call.state, issue);
    return { status: 200, body: call.shapes.issue(repo, issue) };
  },
  [`GET ${ISSUE}/sub_issues`]: (call) => {
    needSubIssues(call);
    const { issue } = issueOf(call);
    const found = [...call.state.repos.values()].flatMap((repo) =>
      repo.issues
        .filter((one) => one.parent === issue.id && one.gone === null)
        .map((one) => ({ repo, issue: one })),
    );
    return shownIssues(call, found);
  },
  [`POST ${ISSUE}/sub_issues`]: (call) => {
    needSubIssues(call);
    const { repo, issue } = issueOf(call);
    needWrite(call);
    const child = existing(call, call.body.sub_issue_id);
    if (child.repo.fullName.split('/')[0] !== repo.fullName.split('/')[0])
      throw invalid('sub_issue_id', 'must belong to the same repository owner as the parent issue');
    if (child.issue.parent === issue.id) {
      throw new Refused(
        422,
        'An error occurred while adding the sub-issue to the parent issue. Duplicate sub-issues',
      );
    }
    if (child.issue.parent !== null && call.body.replace_parent !== true)
      throw invalid('sub_issue_id', 'Sub issue may only have one parent');
    child.issue.parent = issue.id;
    touch(call.state, child.issue);
    touch(call.state, issue);
    return { status: 201, body: call.shapes.issue(repo, issue) };
  },
  [`DELETE ${ISSUE}/sub_issue`]: (call) => {
    needSubIssues(call);
    const { repo, issue } = issueOf(call);
    needWrite(call);
    const child = existing(call, call.body.sub_issue_id);
    if (child.issue.parent !== issue.id) throw notFound();
    child.issue.parent = null;
    touch(call.state, child.issue);
    touch(call.state, issue);
    return { status: 200, body: call.shapes.issue(repo, issue) };
  },
  [`GET ${ISSUE}/parent`]: (call) => {
    needSubIssues(call);
    const { issue } = issueOf(call);
    const parent = issue.parent === null ? null : issueWithId(call.state, issue.parent);
    if (!parent) throw notFound();
    return { status: 200, body: call.shapes.issue(parent.repo, parent.issue) };
  },
};
