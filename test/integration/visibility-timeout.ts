import { GetQueueAttributesCommand, SetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { awsClientConfig } from '../../sandbox/deployment/aws-target.ts';
import { deployed } from './deployment.ts';

/**
 * Makes the records of a killed deliver Lambda return to its queue after some seconds instead of minutes, during the
 * tests of the calling block. Call it where `beforeAll` is allowed.
 */
export const withVisibilityTimeout = (seconds: number): void => {
  const QueueUrl = deployed.outputs['inboundQueueUrl'];
  const sqs = new SQSClient(awsClientConfig(deployed));
  const set = (VisibilityTimeout: string) => sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: { VisibilityTimeout } }));
  let before: string | undefined;
  beforeAll(async () => {
    const { Attributes } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['VisibilityTimeout'] }));
    before = Attributes?.VisibilityTimeout;
    await set(String(seconds));
  });
  afterAll(async () => {
    if (before) await set(before);
    sqs.destroy();
  });
};
