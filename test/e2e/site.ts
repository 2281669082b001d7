// One room with workers, and its Postgres, for all tests of the file that imports it.
import { afterAll, beforeAll } from 'vitest';
import { type Postgres, startPostgres } from '../support/postgres.ts';
import { createSite, type Site } from './workers.ts';

export let postgres: Postgres;
export let site: Site;
beforeAll(async () => {
  postgres = await startPostgres();
  site = await createSite(postgres);
}, 60_000);
afterAll(async () => {
  await site?.close();
  await postgres?.close();
});
