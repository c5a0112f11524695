import { GetQueueUrlCommand, type SQSClient } from '@aws-sdk/client-sqs';

/** Finds the URLs of queues by their names, each once. */
export const sqsQueueUrls = (client: Pick<SQSClient, 'send'>): ((name: string) => Promise<string>) => {
  const urls = new Map<string, string>();
  return async (name) => {
    const known = urls.get(name);
    if (known !== undefined) return known;
    const { QueueUrl: url } = await client.send(new GetQueueUrlCommand({ QueueName: name }));
    if (url === undefined) throw new Error('SQS returned no URL of a queue');
    urls.set(name, url);
    return url;
  };
};
