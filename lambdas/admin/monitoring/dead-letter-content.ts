import * as z from 'zod';
import type { DeadLetter } from '../../../contract/admin/monitoring.ts';
import type { DeadLetterAction } from '../../../contract/deployment/dead-letters.ts';
import { stoppedRecord } from '../../../core/mail/delivery/stopped-delivery.ts';
import { stoppedPart } from '../../../core/sending/submission/submit-queue.ts';

/** Maximum recipients of a message that are listed. */
const maxRecipients = 20;

const textIfAny = z.string().optional().catch(undefined);
const texts = z
  .array(z.string())
  .catch([])
  .transform((all) => all.slice(0, maxRecipients));

/** The fields of the kinds of messages in queues that tell a person what a message is about. Each may be absent, or anything. */
const content = z.object({
  mail: z.object({ messageId: textIfAny, source: textIfAny, destination: texts }).optional().catch(undefined),
  receipt: z.object({ recipients: texts }).optional().catch(undefined),
  postponed: z.object({ messageId: textIfAny, sender: textIfAny, recipients: texts }).optional().catch(undefined),
  bounce: z.object({ messageId: textIfAny, recipients: texts }).optional().catch(undefined),
  report: z.object({ submission_id: textIfAny }).optional().catch(undefined),
  submission_id: textIfAny,
  accountId: textIfAny,
});

const envelope = z.object({
  /** The text of SNS. */
  Message: textIfAny,
  stop: z.object({ how: textIfAny, record: z.string(), refused: textIfAny }).optional().catch(undefined),
});

const parsed = <Schema extends z.ZodType>(schema: Schema, text: string): z.output<Schema> | undefined => {
  try {
    return schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
};

/** The record whose delivery an admin tried to stop; the record itself otherwise. */
const withoutStop = (body: string) => parsed(envelope, body)?.stop ?? { how: undefined, record: body, refused: undefined };

/** The ids and addresses in a message of a queue. */
export const describeDeadLetter = (body: string): Partial<z.input<typeof DeadLetter>> => {
  const { record, refused } = withoutStop(body);
  const found = parsed(content, parsed(envelope, record)?.Message ?? record);
  const { mail, receipt, postponed, bounce, report } = found ?? {};
  return {
    provider_message_id: mail?.messageId ?? postponed?.messageId ?? bounce?.messageId,
    submission_id: found?.submission_id ?? report?.submission_id,
    account_id: found?.accountId,
    sender: mail?.source ?? postponed?.sender,
    recipients: receipt?.recipients ?? postponed?.recipients ?? bounce?.recipients ?? mail?.destination ?? [],
    not_returned: refused,
  };
};

const partReference = z.object({ submission_id: z.string(), part: z.int() });

/** The fate of a dead letter: it stays, or it is removed, after its queue got the body if there is one. */
type Fate = { readonly stays: boolean; readonly body?: string };

/** The fate of a dead letter by an action. */
export const fateOf = (place: string, action: DeadLetterAction, body: string): Fate => {
  const { how, record, refused } = withoutStop(body);
  if (action === 'RETRY') return { stays: false, body: record };
  if (place === 'InboundMail/Waiting') {
    if (action === 'RETURN') return refused === undefined ? { stays: false, body: JSON.stringify(stoppedRecord({ how: 'return', record })) } : { stays: true };
    // A delivery that could not be stopped is only removed.
    return { stays: false, ...(how !== 'drop' && { body: JSON.stringify(stoppedRecord({ how: 'drop', record })) }) };
  }
  if (action === 'DROP') return { stays: false };
  const part = parsed(partReference, record);
  return part ? { stays: false, body: JSON.stringify(stoppedPart(part)) } : { stays: true };
};
