import { setTimeout as delay } from 'node:timers/promises';
import { GetQueueAttributesCommand, SetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { awsClientConfig } from '../../sandbox/deployment/aws-target.ts';
import { accessTokenOf } from './access-tokens.ts';
import { deployed, describeWith, sandboxUser } from './deployment.ts';
import { eventually } from './http-requests.ts';
import { jmapClient, openMailbox } from './jmap-client.ts';
import { kill, processesOf } from './lambda-processes.ts';
import { sendBySmtp, uniqueSubject } from './send-by-smtp.ts';

describeWith('users', 'smtp', 'processes')('the deliver Lambda is killed during deliveries', () => {
  const sqs = new SQSClient(awsClientConfig(deployed));
  const QueueUrl = deployed.outputs['inboundQueueUrl'];
  let visibilityTimeout: string | undefined;

  /**
   * A killed Lambda's records return to the queue after its visibility timeout: shorten it from minutes to seconds. On a
   * slow machine a delivery takes seconds, too. With a shorter timeout, ever more Lambdas would handle the same message.
   */
  beforeAll(async () => {
    const { Attributes } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['VisibilityTimeout'] }));
    visibilityTimeout = Attributes?.VisibilityTimeout;
    await sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: { VisibilityTimeout: '15' } }));
  });
  afterAll(async () => {
    if (visibilityTimeout) {
      await sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: { VisibilityTimeout: visibilityTimeout } }));
    }
    sqs.destroy();
  });

  test('every message is delivered once', async () => {
    const bob = await jmapClient(await accessTokenOf('bob'));
    const subjects = Array.from({ length: 12 }, (_, index) => uniqueSubject(`Interrupted ${index}`));
    let kills = 0;
    for (const [index, subject] of subjects.entries()) {
      await sendBySmtp([sandboxUser('alice').email, sandboxUser('bob').email], { subject, text: 'Hello' });
      // A delivery takes some tens of milliseconds from here. The varied delay interrupts each one at another step.
      await delay(index * 4);
      if (index % 3 !== 2) kills += processesOf(deployed.outputs['deliverFunctionName']!).filter(kill).length;
    }
    expect(kills).toBeGreaterThan(0);
    const deliveredSubjects = async (): Promise<string[]> =>
      (await openMailbox(bob, 'inbox')).emails.map((email) => email.subject).filter((subject) => subjects.includes(subject));
    await eventually(async () => { expect(new Set(await deliveredSubjects())).toEqual(new Set(subjects)); }, 500);
    await delay(3000);
    expect((await deliveredSubjects()).sort()).toEqual([...subjects].sort());
  }, 90_000);
});
