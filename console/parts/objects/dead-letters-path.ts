/** The page of the dead letters of a queue. @param place the path of the queue, or of its dead letters, in the stack. */
export const deadLettersPath = (place: string): string => `/queues/dead-letters?queue=${encodeURIComponent(place.replace(/\/DeadLetters$/, ''))}`;
