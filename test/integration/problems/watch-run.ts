import type { Problem } from '../../../contract/admin/problems.ts';
import { invokeLambda } from '../invoke-lambda.ts';
import { admin } from './deployment-clients.ts';

/** A run of the watch that reads everything, as the first run of an hour does. @returns all problems afterwards. */
export const runWatch = async (): Promise<readonly Problem[]> => {
  await invokeLambda('watch', { everything: true });
  return listProblems();
};

/** Reads all pages of the list of problems. */
export const listProblems = async (): Promise<readonly Problem[]> => {
  const found: Problem[] = [];
  for (let page_token: string | undefined; page_token !== '';) {
    const page = await admin.status.ListProblems({ page_size: 100, ...(page_token !== undefined && { page_token }) });
    found.push(...page.problems);
    page_token = page.next_page_token;
  }
  return found;
};
