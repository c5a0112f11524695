import type * as z from 'zod';
import { monitoring as contract, type DeadLetterFailure } from '../../../contract/admin/monitoring.ts';
import { maxDeliveries } from '../../../contract/deployment/dead-letters.ts';
import { functionLogGroup, nameInStack } from '../../../contract/deployment/monitored-resources.ts';
import type { Logs } from '../../../core/aws/cloudwatch/cloudwatch-logs.ts';
import type { HeldMessage } from '../../../core/aws/sqs-dead-letters.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { failedRecordText } from '../../../core/runtime/lambda/queue.ts';
import { describeDeadLetter } from './dead-letter-content.ts';
import { findDeadLetters, readDeadLetters, type DeadLetterDependencies } from './dead-letters.ts';
import { parseFailedRecord } from './log-line.ts';

type Dependencies = DeadLetterDependencies & { readonly logs: Logs };

/** The last failure of each message in the log of its Lambda, by the message's id. */
const findFailures = async (messages: readonly HeldMessage[], logGroup: string, { logs, clock }: Dependencies) => {
  const failures = new Map<string, z.input<typeof DeadLetterFailure>>();
  const [oldest] = messages;
  if (!oldest) return failures;
  const ids = new Set(messages.map(({ messageId }) => messageId));
  const events = await logs.search({
    logGroup,
    from: oldest.enqueuedAt,
    to: clock(),
    order: 'newest',
    limit: messages.length * maxDeliveries,
    includesAll: [failedRecordText],
    accept: (line) => ids.has(parseFailedRecord(line)?.queueMessageId ?? ''),
  });
  for (const { at, message } of events) {
    const { queueMessageId = '', error, aws_request_id } = parseFailedRecord(message) ?? {};
    if (!failures.has(queueMessageId)) failures.set(queueMessageId, { timestamp: at.toISOString(), error: error ?? '', log_group: logGroup, aws_request_id });
  }
  return failures;
};

export const listDeadLetters = (dependencies: Dependencies) =>
  adminMethod(contract.methods.ListDeadLetters, {
    async run({ queue, limit }) {
      const { resources } = dependencies;
      const place = findDeadLetters(resources, queue);
      const messages = await readDeadLetters(dependencies, place, limit);
      const failures = await findFailures(messages, functionLogGroup(nameInStack(resources.stack, place.lambda)), dependencies);
      return {
        dead_letters: messages.map(({ messageId, enqueuedAt, body }) => ({
          message_id: messageId,
          enqueued_at: enqueuedAt.toISOString(),
          ...describeDeadLetter(body),
          failure: failures.get(messageId),
        })),
      };
    },
  });
