// The ledger: the durable record of turns, requests and what was observed. One open handle a process.

import { createMetaTable } from './meta.ts';
import { createChoreMirrors } from './mirrors/chore-mirrors.ts';
import { createChoresTable } from './mirrors/chores.ts';
import { createMirrorsTable } from './mirrors/mirrors.ts';
import { createOutboxTable } from './mirrors/outbox.ts';
import { createSourcesTable } from './mirrors/sources.ts';
import { createVersionsTable } from './mirrors/versions.ts';
import { createWebhooksTable } from './mirrors/webhooks.ts';
import { type OpenOptions, openDatabase } from './open-database.ts';
import { sharedCommitOf } from './shared-commit.ts';
import { createArtifactsTable } from './tasks/artifacts.ts';
import { createChecksTable } from './tasks/checks.ts';
import { createConsequencesTable } from './tasks/consequences.ts';
import { createFilesTable } from './tasks/files.ts';
import { createLeftSubtasksTable } from './tasks/left-subtasks.ts';
import { createMakersTable } from './tasks/makers.ts';
import { createPausesTable } from './tasks/pauses.ts';
import { createQuestionsTable } from './tasks/questions.ts';
import { BLOCKERS, createReferencesTable, STEP_LINKS } from './tasks/references.ts';
import { createScopesTable } from './tasks/scopes.ts';
import { createSpokenCommentsTable } from './tasks/spoken-comments.ts';
import { createTasksTable } from './tasks/tasks.ts';
import { createWakesTable } from './tasks/wakes.ts';
import { createAskedTable } from './turns/asked.ts';
import { createJobsTable } from './turns/jobs.ts';
import { createLimitWaitsTable } from './turns/limit-waits.ts';
import { createMessagesTable } from './turns/messages.ts';
import { createNoticesTable } from './turns/notices.ts';
import { createRequestsTable } from './turns/requests.ts';
import { createSessionsTable } from './turns/sessions.ts';
import { createSpendingTable } from './turns/spending.ts';
import { createTurnsTable } from './turns/turns.ts';
import { createWorkspacesTable } from './turns/workspaces.ts';
import { createBulksTable } from './writes/bulks.ts';
import { createWritesTable } from './writes/writes.ts';

export type Ledger = ReturnType<typeof openLedger>;

/**
 * Opens (and creates) the ledger at `path`.
 * @throws RoomError as {@link openDatabase}.
 */
export function openLedger(path: string, options: OpenOptions = {}) {
  const database = openDatabase(path, options);
  const shared = sharedCommitOf(database);
  const requests = createRequestsTable(database);
  return {
    database,
    files: createFilesTable(database),
    tasks: createTasksTable(database),
    blockers: createReferencesTable(database, BLOCKERS),
    stepLinks: createReferencesTable(database, STEP_LINKS),
    leftSubtasks: createLeftSubtasksTable(database),
    wakes: createWakesTable(database),
    requests,
    turns: createTurnsTable(database, requests),
    jobs: createJobsTable(database),
    spending: createSpendingTable(database),
    asked: createAskedTable(database),
    limitWaits: createLimitWaitsTable(database),
    sessions: createSessionsTable(database),
    messages: createMessagesTable(database),
    consequences: createConsequencesTable(database),
    meta: createMetaTable(database),
    notices: createNoticesTable(database),
    bulks: createBulksTable(database),
    writes: createWritesTable(database),
    mirrors: createMirrorsTable(database),
    choreMirrors: createChoreMirrors(database),
    spokenComments: createSpokenCommentsTable(database),
    versions: createVersionsTable(database),
    outbox: createOutboxTable(database),
    sources: createSourcesTable(database),
    webhooks: createWebhooksTable(database),
    chores: createChoresTable(database),
    checks: createChecksTable(database),
    artifacts: createArtifactsTable(database),
    questions: createQuestionsTable(database),
    scopes: createScopesTable(database),
    makers: createMakersTable(database),
    pauses: createPausesTable(database),
    workspaces: createWorkspacesTable(database),
    transaction: <T>(body: () => T): T => database.transaction(body),
    /**
     * Runs `body` in a transaction shared with all that is asked for in the same turn of the event loop; resolves when it
     * is on disk. Rejects with what `body` throws, and with RoomError `locked` or `io` when the transaction fails.
     */
    together: <T>(body: () => T): Promise<T> => shared.join(body),
    close(): void {
      shared.flush();
      database.close();
    },
  };
}
