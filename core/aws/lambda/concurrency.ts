/** How many Lambdas may run at once. Adapter: `lambda-concurrency.ts`. */
export type Concurrency = { limits(): Promise<{ readonly account_limit?: number; readonly unreserved_concurrency?: number }> };
