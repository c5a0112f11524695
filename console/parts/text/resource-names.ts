import { resourceWords } from '../../words/pages/monitoring.ts';

/** The name of a queue for people. @param place its place in the stack; dead letters have the name of their queue. */
export const queueName = (place: string): string => {
  const work = place.replace(/\/DeadLetters$/, '');
  return (resourceWords.queues as { readonly [place: string]: string })[work] ?? work;
};
