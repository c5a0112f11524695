import type { JsonObject } from '../../../contract/jmap/data-type.ts';
import { UnknownItemVersion } from '../../../core/account-log/item-version.ts';
import { CommitUnconfirmed, PartlyCommitted } from '../../../core/account-log/records/record-refused.ts';
import { isTransient } from '../../../core/runtime/aws-errors.ts';
import { StoreConflict } from '../../../core/runtime/domain-errors.ts';
import { errorLogFields } from '../../../core/runtime/error-log-fields.ts';
import type { Log } from '../../../core/runtime/log.ts';
import type { ApiRequest, Invocation } from './api-request.ts';
import type { ResponseText } from './api-response.ts';
import { MethodError } from './jmap-errors.ts';
import type { Methods } from './method.ts';
import type { RequestContext } from './request-context.ts';
import { resolveReferences } from './result-references.ts';

/** The `error` response to a failed call. The log, but not the response, has the cause of an unexpected error. */
const toErrorResponse = (failure: unknown, name: string, log: Log): JsonObject => {
  if (failure instanceof MethodError) return { type: failure.type, description: failure.description };
  if (failure instanceof PartlyCommitted) {
    log.error('a method made only a part of its changes', { method: name, ...errorLogFields(failure.cause) });
    return { type: 'serverPartialFail', description: 'A part of the changes was made. Read the new state, then try the others again.' };
  }
  if (failure instanceof CommitUnconfirmed) {
    log.error('a method may have made its changes', { method: name, ...errorLogFields(failure.cause) });
    return { type: 'serverPartialFail', description: 'The changes may have been made. Read the new state, then try again.' };
  }
  if (failure instanceof StoreConflict) {
    return { type: 'serverUnavailable', description: 'Other requests are changing this account. Try again.' };
  }
  log.error('a method failed', { method: name, ...errorLogFields(failure) });
  if (failure instanceof UnknownItemVersion) {
    return { type: 'serverFail', description: 'A newer release of this server wrote the account. Its operator must deploy that release again.' };
  }
  if (isTransient(failure)) return { type: 'serverUnavailable', description: 'The server is busy. Try again later.' };
  return { type: 'serverFail', description: 'The server failed to perform the call.' };
};

const performCall = async (
  [name, given]: Invocation,
  responses: readonly Invocation[],
  { using }: ApiRequest,
  methods: Methods,
  context: RequestContext,
): Promise<JsonObject> => {
  const method = methods.get(name);
  if (!method || !using.has(method.capability)) throw new MethodError('unknownMethod', 'No capability in "using" has this method.');
  return method.run(resolveReferences(given, responses, context.budget), context);
};

/**
 * Performs the calls in order. Adds one response for each call, then one for each of its implicit calls. When a call
 * fails, or its response is too large, the next calls are still performed (RFC 8620 §3.4, §3.6.2).
 */
export const performCalls = async (request: ApiRequest, methods: Methods, context: RequestContext, text: ResponseText, log: Log): Promise<void> => {
  const responses: Invocation[] = [];
  /** Performs one call and adds its response. @returns the implicit calls that follow. */
  const respond = async (call: Invocation, perform: () => JsonObject | Promise<JsonObject>): Promise<readonly Invocation[]> => {
    const [name, , callId] = call;
    text.beginCall(call);
    try {
      const response: Invocation = [name, await perform(), callId];
      text.add(response);
      responses.push(response);
      return context.implicitCalls.splice(0).map((implicit) => [implicit.name, implicit.args, callId]);
    } catch (failure) {
      const response: Invocation = ['error', toErrorResponse(failure, name, log), callId];
      text.addError(response);
      responses.push(response);
      context.implicitCalls.splice(0);
      return [];
    }
  };
  for (const call of request.methodCalls) {
    const following = await respond(call, () => performCall(call, responses, request, methods, context));
    for (const implicit of following) await respond(implicit, () => methods.get(implicit[0])!.run(implicit[1], context));
  }
};
