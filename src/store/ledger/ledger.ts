// The ledger: the durable record of turns, requests and what was observed. One open handle a process.

import type { OpenOptions } from './database.ts';
import { openDatabase } from './open-database.ts';
import * as tables from './schema.ts';

export type Ledger = ReturnType<typeof openLedger>;

/**
 * Opens (and creates) the ledger at `path`.
 * @throws RoomError as {@link openDatabase}.
 */
export function openLedger(path: string, options: OpenOptions) {
  const database = openDatabase(path, options);
  const requests = tables.createRequestsTable(database);
  return {
    database,
    files: tables.createFilesTable(database),
    tasks: tables.createTasksTable(database),
    blockers: tables.createReferencesTable(database, tables.BLOCKERS),
    stepLinks: tables.createReferencesTable(database, tables.STEP_LINKS),
    leftSubtasks: tables.createLeftSubtasksTable(database),
    wakes: tables.createWakesTable(database),
    requests,
    turns: tables.createTurnsTable(database, requests),
    jobs: tables.createJobsTable(database),
    spending: tables.createSpendingTable(database),
    idempotencyKeys: tables.createIdempotencyKeysTable(database),
    limitWaits: tables.createLimitWaitsTable(database),
    sessions: tables.createSessionsTable(database),
    messages: tables.createMessagesTable(database),
    consequences: tables.createConsequencesTable(database),
    meta: tables.createMetaTable(database),
    notices: tables.createNoticesTable(database),
    bulks: tables.createBulksTable(database),
    writes: tables.createWritesTable(database),
    mirrors: tables.createMirrorsTable(database),
    choreMirrors: tables.createChoreMirrors(database),
    postedComments: tables.createPostedCommentsTable(database),
    versions: tables.createVersionsTable(database),
    outbox: tables.createOutboxTable(database),
    sources: tables.createSourcesTable(database),
    webhooks: tables.createWebhooksTable(database),
    chores: tables.createChoresTable(database),
    checks: tables.createChecksTable(database),
    artifacts: tables.createArtifactsTable(database),
    questions: tables.createQuestionsTable(database),
    scopes: tables.createScopesTable(database),
    makers: tables.createMakersTable(database),
    pauses: tables.createPausesTable(database),
    workspaces: tables.createWorkspacesTable(database),
    transaction: <T>(body: () => T): T => database.transaction(body),
    /** As {@link Database.together}. */
    together: <T>(body: () => T): Promise<T> => database.together(body),
    close: () => database.close(),
  };
}
