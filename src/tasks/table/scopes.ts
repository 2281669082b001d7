// Scopes: sets of tasks that belong together.
import * as z from 'zod';
import { none, operation, text } from './entry.ts';

const named = z.strictObject({ name: text });

export const SCOPES = [
  operation('createScope', 'create', 'readonly', named, (on, { name }, actor) => on.createScope(name, actor)),
  operation('scopes', 'read', 'minimal', none, (on) => on.scopes()),
  operation('removeScope', 'write', 'full', named, (on, { name }, actor) => on.removeScope(name, actor)),
];
