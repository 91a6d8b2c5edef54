/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/report.h"

#include <math.h>

#include "base/watch.h"

/* Appends @text escaped for HTML, or for a string of the script if @quoted. Control characters
 * become blanks. */
static void add_safe(const char *text, bool quoted, struct str *out)
{
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c < ' ')
            str_add_char(out, ' ');
        else if (quoted && (c == '"' || c == '\\'))
            str_addf(out, "\\%c", c);
        else if (c == '<' || c == '&')
            str_add(out,
                    quoted ? (c == '<' ? "\\u003c" : "\\u0026") : (c == '<' ? "&lt;" : "&amp;"));
        else
            str_add_char(out, *text);
    }
}

static void add_data(const struct simulation *sim, const struct insn *insns, size_t count,
                     struct str *out)
{
    str_add(out, "const insns=[");
    for (size_t i = 0; i < count && !watch_steps(1); i++) {
        str_add(out, i ? ",\n\"" : "\"");
        add_safe(insns[i].text ? insns[i].text : insns[i].mnemonic, true, out);
        str_add(out, "\"");
    }
    str_add(out,
            "];\n// iteration, instruction, fetch, rename, dispatch, done, retire\nconst steps=[");
    bool first = true;
    for (size_t i = 0; i < sim->step_iterations * count && !watch_steps(1); i++) {
        const struct simulated_step *s = &sim->steps[i];
        if (!s->retire)
            continue;
        str_addf(out, "%s[%zu,%zu,%d,%d,%d,%d,%d]", first ? "" : ",\n", i / count, i % count,
                 s->fetch, s->issue, s->dispatch, s->done, s->retire);
        first = false;
    }
    str_add(out, "];\n");
}

/* The mouse wheel zooms at the mouse position, dragging scrolls, and a double click shows all
 * cycles. The line below the picture describes the item under the mouse. */
static const char script[] =
    "const names=['queued','renamed, waits','executes','done, waits to "
    "retire'],colours=['#b8c4d6','#f0c36d','#4c8f5b','#9ec9a6'];\n"
    "const "
    "canvas=document.getElementById('trace'),readout=document.getElementById('readout'),g=canvas."
    "getContext('2d');\n"
    "const "
    "first=steps.reduce((a,s)=>Math.min(a,s[2]),Infinity),last=steps.reduce((a,s)=>Math.max(a,s[6])"
    ",0);\n"
    "const left=260,top_=24;let x0=first,y0=0,sx=1,sy=1,drag=null;\n"
    "function "
    "all(){x0=first;y0=0;sx=Math.max(1,canvas.width-left)/"
    "Math.max(1,last-first+1);sy=Math.max(1,canvas.height-top_)/Math.max(1,steps.length);draw();}\n"
    "function X(c){return left+(c-x0)*sx;}\nfunction Y(r){return top_+(r-y0)*sy;}\n"
    "function "
    "draw(){g.clearRect(0,0,canvas.width,canvas.height);g.font=Math.max(6,Math.min(13,sy*.8))+'px "
    "monospace';g.textBaseline='middle';\n"
    "steps.forEach((s,r)=>{const y=Y(r);if(y<top_-sy||y>canvas.height)return;\n"
    "if(s[1]==0){g.fillStyle='#888';g.fillRect(0,y,canvas.width,Math.min(1,sy/4));}\n"
    "[[2,3],[3,4],[4,5],[5,6]].forEach((p,k)=>{g.fillStyle=colours[k];const "
    "a=Math.max(left,X(s[p[0]])),b=X(s[p[1]]);if(b>a)g.fillRect(a,y,b-a,Math.max(.5,sy*.9));});\n"
    "if(sy>6){g.fillStyle='#fff';g.fillRect(0,y+1,left-4,sy-1);g.fillStyle='#000';g.fillText((s[0]+"
    "': '+insns[s[1]]).slice(0,Math.floor(420/Math.max(6,Math.min(13,sy*.8)))),4,y+sy/2);}});\n"
    "g.font='11px "
    "monospace';g.fillStyle='#fff';g.fillRect(0,0,canvas.width,top_);g.fillStyle='#000';\n"
    "let step=1;while(step*sx<50)step*=step.toString()[0]=='2'?2.5:2;\n"
    "for(let "
    "c=Math.ceil(x0/"
    "step)*step;X(c)<canvas.width;c+=step)if(X(c)>=left){g.fillText(c,X(c)+2,10);g.fillRect(X(c),0,"
    "1,top_);}}\n"
    "function at(e){const "
    "b=canvas.getBoundingClientRect();return[(e.clientX-b.left)*canvas.width/"
    "b.width,(e.clientY-b.top)*canvas.height/b.height];}\n"
    "canvas.addEventListener('wheel',e=>{e.preventDefault();const[x,y]=at(e),f=Math.pow(1.2,-Math."
    "sign(e.deltaY));\n"
    "if(!e.shiftKey){x0=x0+(x-left)/sx*(1-1/f);sx*=f;}if(!e.ctrlKey){y0=y0+(y-top_)/sy*(1-1/"
    "f);sy*=f;}draw();},{passive:false});\n"
    "canvas.addEventListener('mousedown',e=>{drag=at(e);});window.addEventListener('mouseup',()=>{"
    "drag=null;});\n"
    "canvas.addEventListener('mousemove',e=>{const[x,y]=at(e);if(drag){x0-=(x-drag[0])/"
    "sx;y0-=(y-drag[1])/sy;drag=[x,y];draw();}\n"
    "const s=steps[Math.floor(y0+(y-top_)/sy)],c=Math.floor(x0+(x-left)/sx);if(!s)return;\n"
    "let "
    "where='';[[2,3],[3,4],[4,5],[5,6]].forEach((p,k)=>{if(c>=s[p[0]]&&c<s[p[1]])where=names[k];});"
    "\n"
    "readout.textContent='cycle '+c+', iteration '+s[0]+', '+insns[s[1]]+': queued '+s[2]+', "
    "renamed "
    "'+s[3]+', dispatched '+s[4]+', done '+s[5]+', retired '+s[6]+(where?' \\u2014 "
    "'+where:'');});\n"
    "canvas.addEventListener('dblclick',all);\n"
    "function "
    "fit(){canvas.width=canvas.clientWidth;canvas.height=canvas.clientHeight;all();}window."
    "addEventListener('resize',fit);fit();\n";

void report_trace(const char *name, const struct machine *m, const struct simulation *sim,
                  const struct insn *insns, size_t count, struct str *out)
{
    const char *title = m->title ? m->title : m->id;

    str_add(out, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>");
    add_safe(name, false, out);
    str_add(out, "</title>\n<style>body{font:14px "
                 "sans-serif;margin:8px}canvas{width:100%;height:80vh;border:1px solid "
                 "#888}span{padding:0 6px;margin-right:8px}</style></head><body>\n<h1>");
    add_safe(name, false, out);
    str_add(out, "</h1>\n<p>");
    add_safe(title, false, out);
    if (!isnan(sim->cycles))
        str_addf(out, ": %.2f cycles per iteration simulated", sim->cycles);
    str_add(out,
            ". The wheel zooms (with Shift only rows, with Ctrl only cycles), dragging moves the "
            "picture, and a double click shows everything.</p>\n<p><span "
            "style=\"background:#b8c4d6\">queued</span><span style=\"background:#f0c36d\">renamed, "
            "waits</span><span style=\"background:#4c8f5b\">executes</span><span "
            "style=\"background:#9ec9a6\">done, waits to retire</span></p>\n<canvas "
            "id=\"trace\"></canvas>\n<p id=\"readout\">&nbsp;</p>\n<script>\n");
    add_data(sim, insns, count, out);
    str_add(out, script);
    str_add(out, "</script></body></html>\n");
}
