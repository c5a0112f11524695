import type { Page } from 'playwright-core';
import type { ReportLine } from '../../bench/report-table.ts';

/** Records in the page when the list is shown, and the longest tasks. */
export const watch = `globalThis.longTasks = [];
new PerformanceObserver((list) => globalThis.longTasks.push(...list.getEntries().map(({ duration }) => duration))).observe({ type: 'longtask' });
globalThis.listShown = new Promise((resolve) => {
  const look = () => (document.querySelector('[role=grid] .row-top') ? resolve(performance.now()) : requestAnimationFrame(look));
  requestAnimationFrame(look);
});`;

/** In the page: milliseconds from an act until a condition holds. */
export const timeUntil = (act: string, condition: string): string => `new Promise((resolve) => {
  const begin = performance.now();
  ${act};
  const look = () => (${condition} ? resolve(performance.now() - begin) : requestAnimationFrame(look));
  look();
})`;

/** In the page: milliseconds from an act until an element is there. */
export const timeTo = (act: string, selector: string): string => timeUntil(act, `document.querySelector(${JSON.stringify(selector)})`);

/** In the page: presses a key. */
export const press = (key: string): string => `document.dispatchEvent(new KeyboardEvent('keydown', { key: ${JSON.stringify(key)}, bubbles: true }))`;

/** The longest task of a page, in milliseconds, since the last time that this was asked. */
export const longestTask = (page: Page): Promise<number> => page.evaluate('Math.max(0, ...globalThis.longTasks.splice(0))');

/** Counts the JMAP requests of a page. @returns a function that tells how many there were, and counts no more. */
export const countRequests = (page: Page, jmapUrl: string): (() => number) => {
  let requests = 0;
  const count = (request: { method(): string; url(): string }): void => {
    if (request.method() === 'POST' && request.url().startsWith(jmapUrl)) requests += 1;
  };
  page.on('request', count);
  return () => {
    page.off('request', count);
    return requests;
  };
};

/** A line of the report. */
export const line = (what: string, figure: number, unit: string, atMost: number, note?: string): ReportLine => ({
  what,
  figure: Math.round(figure),
  unit,
  atMost,
  ...(note && { note }),
});
