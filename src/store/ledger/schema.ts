// The ledger's schema: every file that declares tables of it.
export * from './meta.ts';
export * from './mirrors/mirrors.ts';
export * from './mirrors/outbox.ts';
export * from './mirrors/sources.ts';
export * from './tasks/files.ts';
export * from './tasks/links.ts';
export * from './tasks/tasks.ts';
export * from './tasks/waits.ts';
export * from './turns/jobs.ts';
export * from './turns/notices.ts';
export * from './turns/requests.ts';
export * from './turns/turns.ts';
export * from './writes/bulks.ts';
export * from './writes/writes.ts';
