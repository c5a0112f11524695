import { directoryKeys } from '../../contract/deployment/keys.ts';
import { confirmationPage } from '../../contract/jmap/forwarding.ts';
import { accountRow } from '../../core/directory/account-row.ts';
import { isConfirmed, type Forwardings } from '../../core/directory/forwarding/forwardings.ts';
import type { Clock } from '../../core/runtime/clock.ts';
import { bodyBytes, failuresAnswered, header, isPreflight, preflightAnswer, type HttpRequest, type HttpResponse } from '../../core/runtime/http/http.ts';
import type { Log } from '../../core/runtime/log.ts';
import type { Table } from '../../core/storage/table.ts';
import { badFormPage, confirmedPage, noForwardingPage, questionPage, unknownLinkPage, wrongMethodPage } from './confirmation-page.ts';

type Dependencies = {
  readonly directory: Pick<Table, 'get'>;
  readonly forwardings: Pick<Forwardings, 'findByToken' | 'confirm'>;
  /** Whether accounts may forward to addresses outside. */
  readonly mayForwardOutside: boolean;
  readonly clock: Clock;
  readonly log: Log;
};

const allow = 'GET, HEAD, POST, OPTIONS';

/** Maximum octets of the form, and characters of a token. The token of a link has less than a hundred. */
const maxFormOctets = 1024;

/** The token in the form. @returns undefined for a body that is not a form of {@link maxFormOctets}. */
const postedToken = (request: HttpRequest): string | undefined => {
  const [type = ''] = (header(request, 'content-type') ?? '').split(';');
  if (type.trim().toLowerCase() !== 'application/x-www-form-urlencoded' || (request.body ?? '').length > 2 * maxFormOctets) return undefined;
  const body = bodyBytes(request);
  return body.length > maxFormOctets ? undefined : (new URLSearchParams(body.toString('utf8')).get(confirmationPage.token) ?? undefined);
};

/** Finds what a token confirms. @returns undefined for an unknown or old token, and when the account does not exist any more. */
const findConfirmation = async (token: string, { directory, forwardings, clock }: Dependencies) => {
  if (token.length > maxFormOctets) return undefined;
  const found = await forwardings.findByToken(token, clock());
  const account = found && (await directory.get(directoryKeys.account(found.accountId)));
  return account && { account: accountRow(account), address: found.address };
};

const respond = async (dependencies: Dependencies, request: HttpRequest): Promise<HttpResponse> => {
  const { method } = request.requestContext.http;
  if (method === 'OPTIONS') return { statusCode: 204, headers: { allow } };
  if (!dependencies.mayForwardOutside) return noForwardingPage();
  if (method === 'POST') {
    const token = postedToken(request);
    if (token === undefined) return badFormPage();
    const found = await findConfirmation(token, dependencies);
    const confirmed = found && (await dependencies.forwardings.confirm(token, dependencies.clock()));
    return confirmed ? confirmedPage({ account: found.account, address: confirmed }) : unknownLinkPage();
  }
  if (method !== 'GET' && method !== 'HEAD') return wrongMethodPage(allow);
  const token = new URLSearchParams(request.rawQueryString).get(confirmationPage.token) ?? '';
  const found = await findConfirmation(token, dependencies);
  if (!found) return unknownLinkPage();
  return isConfirmed(found.address) ? confirmedPage(found) : questionPage(found, token);
};

/**
 * Serves the page at which the owner of an address outside confirms that mail is forwarded to it. Only the form confirms,
 * because programs that scan mail open links. Tokens and addresses are never logged.
 */
export const confirmationHandler = (dependencies: Dependencies) =>
  failuresAnswered(dependencies.log, async (request: HttpRequest): Promise<HttpResponse> => {
    if (isPreflight(request)) return preflightAnswer;
    const { body, ...head } = await respond(dependencies, request);
    return request.requestContext.http.method === 'HEAD' || body === undefined ? head : { ...head, body };
  });
