import { parseQueueRecord } from '../../../lambdas/deliver/queue-record.ts';

const bounce = { messageId: 'ses-1', recipients: ['nobody@example.test'], reason: 'full', attempt: 1 };
const postponed = {
  messageId: 'ses-1',
  objectKey: 'inbound/rule/ses-1',
  recipients: ['full@example.test'],
  receivedAt: 1,
  isJunk: false,
  sender: 'x@elsewhere.test',
  verdicts: {},
  copyAccountIds: [],
  members: [],
  isPart: false,
  isUnrecorded: false,
};

describe('a record of the inbound queue', () => {
  test.each<[string, object, object]>([
    ['a bounce', { kind: 'bounce', bounce }, { kind: 'bounce', bounce }],
    ['a message that waits', { kind: 'postponed', postponed }, { kind: 'postponed', mail: postponed }],
    ['a notification by which SES tests the topic', { Type: 'Notification', Message: 'Successfully validated SNS topic for Amazon SES' }, { kind: 'setup' }],
  ])('is read as %s, whatever the order of its fields', (_, content, expected) => {
    for (const entries of [Object.entries(content), Object.entries(content).toReversed()]) {
      expect(parseQueueRecord(JSON.stringify(Object.fromEntries(entries)))).toEqual(expected);
    }
  });

  test.each(['', 'null', '{}', '{"kind":"later","later":{}}', '{"kind":"bounce"}', '{"kind":"postponed","postponed":{}}'])(
    'that is none is refused, so that it ends in the dead-letter queue: %j',
    (body) => {
      expect(() => parseQueueRecord(body)).toThrow();
    },
  );
});
