/** Milliseconds after which a wait counts as hanging. They are many, because a slow machine must not fail a test. */
export const longestWait = 180_000;
