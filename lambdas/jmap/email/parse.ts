import { coreLimits } from '../../../contract/jmap/core.ts';
import type { JsonObject } from '../../../contract/jmap/data-type.ts';
import { defaultParseProperties, email, type emailParseMethod } from '../../../contract/jmap/email.ts';
import type { ArgumentsOf } from '../../../contract/jmap/record.ts';
import { responseTooLarge } from '../request/api-response.ts';
import { MethodError } from '../request/jmap-errors.ts';
import type { OpenAccount, RequestContext } from '../request/request-context.ts';
import { checkProperties } from '../request/standard-get.ts';
import { emailSelection, messageAsEmail } from './read-emails.ts';
import { readMessages } from './read-messages.ts';

type Args = ArgumentsOf<typeof emailParseMethod.arguments>;

const listOrNull = (list: readonly string[]): readonly string[] | null => (list.length === 0 ? null : list);

/** Email/parse (RFC 8621 §4.9). @throws MethodError requestTooLarge for too many or too large messages. */
export const parseEmails = async (args: Args, { accountId }: OpenAccount, context: RequestContext): Promise<JsonObject> => {
  const blobIds = [...new Set(args.blobIds)];
  if (blobIds.length > coreLimits.maxObjectsInGet) {
    throw new MethodError('requestTooLarge', `A call may parse at most ${coreLimits.maxObjectsInGet} blobs (maxObjectsInGet).`);
  }
  const properties = args.properties ?? defaultParseProperties;
  checkProperties(email, properties);
  const selection = emailSelection(new Set(properties), args);
  const messages = await readMessages(accountId, blobIds, context);
  const parsed: [string, JsonObject][] = [];
  const notParsable: string[] = [];
  let size = 0;
  for (const [blobId, message] of messages) {
    if (!message.parsed || message.parsed.failure) {
      notParsable.push(blobId);
      continue;
    }
    const object = messageAsEmail(message.octets, { ...message.parsed.email, blobId }, selection, context.responseRoom);
    size += JSON.stringify(object).length;
    if (size > context.responseRoom.octets) throw responseTooLarge();
    parsed.push([blobId, object]);
  }
  return {
    accountId,
    parsed: parsed.length === 0 ? null : Object.fromEntries(parsed),
    notParsable: listOrNull(notParsable),
    notFound: listOrNull(blobIds.filter((blobId) => !messages.has(blobId))),
  };
};
