// The errors Linear answers with, in its own shape: a message, and `extensions` with type, code and the sentence for people.
import { GraphQLError } from 'graphql';

function linearError(message: string, type: string, code: string, statusCode: number, said = message) {
  const extensions = { type, code, statusCode, userError: true, userPresentableMessage: said };
  return new GraphQLError(message, { extensions });
}

export function inputError(message: string, said = message): GraphQLError {
  return linearError(message, 'invalid input', 'INPUT_ERROR', 400, said);
}

/** What Linear says of an id that leads nowhere. */
export function notFound(entity: string): GraphQLError {
  return inputError(`Entity not found: ${entity}`, `Could not find referenced ${entity}.`);
}

export function authenticationError(): GraphQLError {
  const said = 'You need to authenticate to access this operation.';
  const message = 'Authentication required, not authenticated';
  return linearError(message, 'authentication error', 'AUTHENTICATION_ERROR', 401, said);
}

export function forbidden(): GraphQLError {
  const said = "You don't have permission to do this.";
  return linearError('Forbidden', 'forbidden', 'FORBIDDEN', 403, said);
}

/** Answered with HTTP 400, not 429. */
export function rateLimited(what: 'requests' | 'complexity'): GraphQLError {
  return linearError(
    `Rate limit exceeded: ${what}`,
    'ratelimited',
    'RATELIMITED',
    429,
    'Rate limit exceeded',
  );
}

export function tooComplex(complexity: number): GraphQLError {
  return inputError(
    'Query too complex',
    `Query complexity is ${complexity}; the most one query may have is 10000.`,
  );
}
