import { PublishCommand, SNSClient } from '@aws-sdk/client-sns';
import { namingErrors, clientTimeouts } from '../../runtime/sdk-client.ts';

/** A topic whose subscribers get each published text. Adapter: {@link snsTopic}; fake: `test/fakes/memory-topic.ts`. */
export type Topic = {
  /** Publishes a text. @param subject at most 100 characters of printable ASCII. */
  publish(subject: string, text: string): Promise<void>;
};

/** {@link Topic} in SNS. */
export const snsTopic = (arn: string, client: Pick<SNSClient, 'send'> = namingErrors(new SNSClient(clientTimeouts))): Topic => ({
  async publish(subject, text) {
    await client.send(new PublishCommand({ TopicArn: arn, Subject: subject, Message: text }));
  },
});
