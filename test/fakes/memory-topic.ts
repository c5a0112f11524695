import type { Topic } from '../../core/aws/cloudwatch/sns-topic.ts';

/** A {@link Topic} in memory. `published`: the texts in order, with their subjects. */
export const memoryTopic = () => {
  const published: { readonly subject: string; readonly text: string }[] = [];
  const publish: Topic['publish'] = async (subject, text) => void published.push({ subject, text });
  return { publish, published };
};
