import { setTimeout as delay } from 'node:timers/promises';
import { GetQueueAttributesCommand, SetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { awsClientConfig } from '../../sandbox/aws-target.ts';
import { deployed, describeWith, sandboxUser } from './deployment.ts';
import { eventually } from './http-requests.ts';
import { jmapClient, openMailbox } from './jmap-client.ts';
import { kill, processesOf } from './lambda-processes.ts';
import { sendBySmtp, uniqueSubject } from './send-by-smtp.ts';
import { accessTokenOf } from './access-tokens.ts';

describeWith('people', 'smtp', 'processes')('the deliver Lambda is killed in the middle of deliveries', () => {
  const sqs = new SQSClient(awsClientConfig(deployed));
  const QueueUrl = deployed.outputs['inboundQueueUrl'];
  let patience: string | undefined;

  /** What a killed Lambda had in its hands comes again after the queue's visibility timeout: minutes, that a test need not wait. */
  beforeAll(async () => {
    const { Attributes } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['VisibilityTimeout'] }));
    patience = Attributes?.VisibilityTimeout;
    await sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: { VisibilityTimeout: '2' } }));
  });
  afterAll(async () => {
    if (patience) await sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: { VisibilityTimeout: patience } }));
    sqs.destroy();
  });

  test('and every message arrives, once', async () => {
    const bob = await jmapClient(await accessTokenOf('bob'));
    const subjects = Array.from({ length: 12 }, (_, index) => uniqueSubject(`Interrupted ${index}`));
    let kills = 0;
    for (const [index, subject] of subjects.entries()) {
      await sendBySmtp([sandboxUser('alice').email, sandboxUser('bob').email], { subject, text: 'Hello' });
      // A delivery takes some tens of milliseconds from here: each message is struck at another moment of it.
      await delay(index * 4);
      if (index % 3 !== 2) kills += processesOf(deployed.outputs['deliverFunctionName']!).filter(kill).length;
    }
    expect(kills).toBeGreaterThan(0);
    const arrived = async (): Promise<string[]> => (await openMailbox(bob, 'inbox')).emails.map((email) => email.subject).filter((subject) => subjects.includes(subject));
    await eventually(60_000, async () => { expect(new Set(await arrived())).toEqual(new Set(subjects)); }, 500);
    await delay(3000);
    expect((await arrived()).sort()).toEqual([...subjects].sort());
  }, 90_000);
});
